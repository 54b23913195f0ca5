// The variants on real Halide at the smallest size: the same page, by the oracle.
#include "cases/conceptual_stmt/compile.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cases/conceptual_stmt/listing.hpp"
#include "cases/conceptual_stmt/pipeline.hpp"
#include "patches/halide/regex_filter.hpp"

namespace {

namespace fs = std::filesystem;

class Compile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("compile_test_") + info->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }

  static std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  /// What `compile` writes to path("p"), in a process of its own: Halide numbers its names by
  /// process, so a second compilation in one process is never the same text.
  std::string in_child(const std::function<void()>& compile) const {
    const pid_t child = fork();
    if (child == 0) {
      compile();
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return read(path("p"));
  }

  std::string page(Pipeline& pipeline, Patches patches,
                   Halide::StmtOutputFormat format = Halide::HTML) const {
    return in_child([&] {
      compile_in_stages(pipeline.output, pipeline.arguments, format, Halide::get_host_target(),
                        path("p"), path("l.s"), patches,
                        [](const char*, const auto& body) { body(); });
    });
  }

  fs::path folder_;
};

TEST_F(Compile, StagesWithoutPatchesGiveTheOneCallsPageByteForByte) {
  for (const auto format : {Halide::HTML, Halide::Text}) {
    Pipeline pipeline = make_pipeline(2, 96, 64, Weights::embedded);
    const std::string one_call = in_child([&] {
      pipeline.output.compile_to_conceptual_stmt(path("p"), pipeline.arguments, format,
                                                 Halide::get_host_target());
    });
    EXPECT_GT(one_call.size(), 1000u);
    EXPECT_TRUE(one_call == page(pipeline, {}, format));
  }
}

TEST_F(Compile, EveryPatchKeepsTheCanonicalForm) {
  Pipeline pipeline = make_pipeline(2, 96, 64, Weights::embedded);
  const auto form = [&](Patches patches) {
    return canonical(read_page(page(pipeline, patches)), pipeline.output.name());
  };
  const std::string baseline = form({});
  EXPECT_GT(std::count(baseline.begin(), baseline.end(), '\n'), 100);
  EXPECT_TRUE(form({.regex_filter = true}) == baseline);
  EXPECT_TRUE(form({.buffer_stub = true}) == baseline);
  EXPECT_TRUE(form({.lean_listing = true}) == baseline);
  EXPECT_TRUE(form({true, true, true}) == baseline);
  Pipeline another = make_pipeline(2, 96, 56, Weights::embedded);
  EXPECT_FALSE(canonical(read_page(page(another, {})), another.output.name()) == baseline);
}

TEST_F(Compile, PatchesTakeOutWhatTheyPromise) {
  Pipeline pipeline = make_pipeline(1, 384, 256, Weights::embedded);
  const auto listing_size = [&](Patches patches) {
    (void)page(pipeline, patches);
    return fs::file_size(path("l.s"));
  };
  const auto data = 384u * 256u * 4u;
  EXPECT_GT(listing_size({}), 2 * data);
  EXPECT_LT(listing_size({.regex_filter = true}), listing_size({}) - 2 * data);
  EXPECT_LT(listing_size({.buffer_stub = true}), listing_size({}) - 2 * data);
  EXPECT_LT(listing_size({true, true, true}), 100'000u);
}

TEST_F(Compile, CuttingLeavesShortLinesAndAnyBytesAlone) {
  const std::string bytes = std::string("a\0b\n\xff\xfe", 6) + "\n" + std::string(500, 's') + "\n" +
                            std::string(501, 'l') + "\nno line end";
  std::ofstream(path("l.s"), std::ios::binary) << bytes;
  patches::halide::cut_long_lines(path("l.s"));
  const std::string cut = read(path("l.s"));
  EXPECT_EQ(cut, std::string("a\0b\n\xff\xfe", 6) + "\n" + std::string(500, 's') + "\n" +
                     std::string(100, 'l') +
                     "\" # omitted the remainder of the ASCII buffer\nno line end");
  EXPECT_THROW(patches::halide::cut_long_lines(path("missing.s")), std::runtime_error);
}

}  // namespace
