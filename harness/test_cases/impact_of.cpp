// impact_of BASE HEAD NAME...: what each benchmark touches, a line each; nothing behind the tab of
// one that is untouched.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "harness/impact/impact.hpp"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc < 4) return 2;
  const fs::path scratch = fs::temp_directory_path() / ("impact_of." + std::to_string(getpid()));
  fs::create_directories(scratch);
  cliffbench::ComparedPrograms programs(argv[1], argv[2]);
  for (int i = 3; i < argc; ++i) {
    const std::string why = programs.touched(argv[i], argv[i], 0.004, {.scratch = scratch});
    std::printf("%s\t%s\n", argv[i], why.c_str());
  }
  fs::remove_all(scratch);
}
