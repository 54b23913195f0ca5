#include "harness/kit/loaded.hpp"

#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#else
#include <link.h>
#endif

namespace cliffbench {

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  const auto add = [&](const char* path) {
    if (path && *path == '/' && access(path, R_OK) == 0) paths.emplace_back(path);
  };
#ifdef __APPLE__
  for (uint32_t i = 1; i < _dyld_image_count(); ++i) add(_dyld_get_image_name(i));  // 0: itself
#else
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* visit) {
        (*static_cast<decltype(add)*>(visit))(info->dlpi_name);
        return 0;
      },
      const_cast<void*>(static_cast<const void*>(&add)));
#endif
  return paths;
}

}  // namespace cliffbench
