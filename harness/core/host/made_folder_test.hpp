#pragma once

/// An empty folder of a test's own, for files and programs that are shell scripts.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace cliffbench {

class Folder {
 public:
  Folder()
      : path_(std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
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
