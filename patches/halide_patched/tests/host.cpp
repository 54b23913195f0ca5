// host local|global|deepbind WHAT PLUGIN...     opens each plugin so, and lets it make what it is
// asked for; then each makes it once more.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int how = RTLD_LAZY | (std::strcmp(argv[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL) |
                  (std::strcmp(argv[1], "deepbind") == 0 ? RTLD_DEEPBIND : 0);
  std::vector<int (*)(const char*, const char*)> plugins;
  int made = 0;
  const auto make = [&](int (*plugin)(const char*, const char*)) {
    return plugin(("made" + std::to_string(++made)).c_str(), argv[2]);
  };
  for (int i = 3; i < argc; ++i) {
    void* library = dlopen(argv[i], how);
    if (!library) {
      std::puts(dlerror());
      return 1;
    }
    plugins.push_back(reinterpret_cast<int (*)(const char*, const char*)>(dlsym(library, "make")));
    if (make(plugins.back()) != 0) return 1;
  }
  for (auto* plugin : plugins) {
    if (make(plugin) != 0) return 1;
  }
}
