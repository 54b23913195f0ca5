#include "harness/core/host/libraries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "harness/core/host/made_folder_test.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

TEST(LinkedLibraries, OfAScriptAreNotKnown) {
  const Folder folder;
  const fs::path script = folder.script("script", "echo '\t/etc/passwd (0x1)'\n");
  EXPECT_FALSE(linked_libraries(script));
  EXPECT_FALSE(linked_libraries("/nowhere"));
  folder.write("script",
               "\x7f"
               "ELF");  // cut off
  EXPECT_FALSE(linked_libraries(script));
}

#ifdef __linux__
TEST(LinkedLibraries, AreThoseThatTheLoaderFinds) {
  if (std::getenv("CLIFFBENCH_EMULATED")) GTEST_SKIP() << "the system starts no emulated program";
  const auto libraries = linked_libraries(fs::read_symlink("/proc/self/exe"));
  ASSERT_TRUE(libraries);
  const auto has = [&](const std::string& start) {
    return std::ranges::any_of(*libraries, [&](const fs::path& library) {
      return library.filename().string().starts_with(start) && fs::exists(library);
    });
  };
  EXPECT_TRUE(has("libc.so"));
  EXPECT_TRUE(has("ld-linux"));
}
#endif

}  // namespace
}  // namespace cliffbench
