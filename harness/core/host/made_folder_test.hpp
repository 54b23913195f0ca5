#pragma once

/// A folder of a test's own, for files and programs that are shell scripts; it ends with its owner.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace cliffbench {

class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "/cliffbench.XXXXXX";
    EXPECT_TRUE(mkdtemp(name.data()));
    path_ = std::filesystem::canonical(name);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path write(const std::filesystem::path& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  std::filesystem::path script(const std::filesystem::path& name, const std::string& text) const {
    const std::filesystem::path path = write(name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A test of what measures, which nothing does under emulation.
class Measuring : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("CLIFFBENCH_EMULATED")) GTEST_SKIP() << "nothing is measured under emulation";
  }
};

}  // namespace cliffbench
