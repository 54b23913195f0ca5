// The variants on real Halide at the smallest size: the same page, by the oracle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include "cases/conceptual_stmt/listing.hpp"
#include "cases/conceptual_stmt/pipeline.hpp"
#include "cases/conceptual_stmt/turns.hpp"
#include "patches/halide/conceptual_stmt.hpp"

namespace {

namespace fs = std::filesystem;

using patches::halide::Choice;
using patches::halide::kEveryPatch;

class Compile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              ("compile_test_" + std::to_string(getpid()) + "_" + info->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }

  static std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static std::vector<std::string> read_lines(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  /// The text that `compile` writes to path("p") in a process of its own. Halide numbers names by
  /// process, so a second compilation in one process never gives the same text.
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

  std::string page(Pipeline& pipeline, Choice patches,
                   Halide::StmtOutputFormat format = Halide::HTML,
                   const Halide::Target& target = Halide::get_host_target()) const {
    return in_child([&] {
      patches::halide::compile_to_conceptual_stmt(pipeline.output, path("p"), pipeline.arguments,
                                                  format, target, patches);
    });
  }

  fs::path folder_;
};

/// The same for this machine's code and for that of an Apple M1.
class CompileFor : public Compile, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (is_anothers_turn()) GTEST_SKIP() << "with another Halide";
    Compile::SetUp();
  }

  const Halide::Target target_ = target_named(GetParam());
};

INSTANTIATE_TEST_SUITE_P(, CompileFor, testing::Values("host", "arm-64-osx"), [](const auto& test) {
  return std::string(test.param) == "host" ? "Host" : "AppleM1";
});

TEST_P(CompileFor, StagesWithoutPatchesGiveTheOneCallsPageByteForByte) {
  for (const auto format : {Halide::HTML, Halide::Text}) {
    Pipeline pipeline = make_pipeline(2, 96, 64, Weights::embedded);
    const std::string one_call = in_child([&] {
      pipeline.output.compile_to_conceptual_stmt(path("p"), pipeline.arguments, format, target_);
    });
    EXPECT_GT(one_call.size(), 1000u);
    EXPECT_TRUE(one_call == page(pipeline, {}, format, target_));
  }
}

TEST_P(CompileFor, EveryPatchKeepsTheCanonicalForm) {
  Pipeline pipeline = make_pipeline(2, 96, 64, Weights::embedded);
  const auto form = [&](Choice patches) {
    return canonical(read_page(page(pipeline, patches, Halide::HTML, target_)),
                     pipeline.output.name());
  };
  const std::string baseline = form({});
  EXPECT_GT(
      own_code(read_page(page(pipeline, {}, Halide::HTML, target_)), pipeline.output.name()).size(),
      300u);
  EXPECT_TRUE(form({.regex_filter = true}) == baseline);
  EXPECT_TRUE(form({.buffer_stub = true}) == baseline);
  EXPECT_TRUE(form({.lean_listing = true}) == baseline);
  EXPECT_TRUE(form({.marker_lines = true}) == baseline);
  EXPECT_TRUE(form(kEveryPatch) == baseline);
  Pipeline another = make_pipeline(2, 96, 56, Weights::embedded);
  EXPECT_FALSE(canonical(read_page(page(another, {}, Halide::HTML, target_)),
                         another.output.name()) == baseline);
}

TEST_P(CompileFor, SearchingLessKeepsThePageByteForByte) {
  Pipeline pipeline = make_pipeline(3, 96, 64, Weights::embedded);
  const std::string baseline = page(pipeline, {}, Halide::HTML, target_);
  EXPECT_TRUE(page(pipeline, {.regex_filter = true}, Halide::HTML, target_) == baseline);
  EXPECT_TRUE(page(pipeline, {.marker_lines = true}, Halide::HTML, target_) == baseline);
  EXPECT_TRUE(page(pipeline, {.regex_filter = true, .marker_lines = true}, Halide::HTML, target_) ==
              baseline);
}

TEST_F(Compile, PatchesTakeOutWhatTheyPromise) {
  const Pipeline pipeline = make_pipeline(1, 384, 256, Weights::embedded);
  Halide::Func output = pipeline.output;
  const Halide::Module module =
      output.compile_to_module(pipeline.arguments, "", Halide::get_host_target());
  const auto listing_size = [&](Choice patches) {
    patches::halide::write_listing(module, path("l.s"), patches);
    return fs::file_size(path("l.s"));
  };
  const std::uintmax_t data = std::uintmax_t{384} * 256 * 4;
  EXPECT_GT(listing_size({}), 2 * data);
  EXPECT_LT(listing_size({.buffer_stub = true}), listing_size({}) - 2 * data);
  EXPECT_LT(listing_size({.buffer_stub = true, .lean_listing = true}), 100'000u);
}

/// Lines as a listing has them and as it never has: markers of the module, long lines, NUL, bad
/// UTF-8, characters that HTML escapes, carriage returns, no line end.
std::string made_up_listing(const std::vector<std::string>& markers, std::mt19937& random) {
  const auto up_to = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n)(random); };
  std::string text;
  for (size_t lines = up_to(60); lines > 0; --lines) {
    switch (up_to(5)) {
      case 0:
        for (size_t n = up_to(40); n > 0; --n) text += static_cast<char>(up_to(255));
        break;
      case 1:
        text += ".LBB0_2:\t# " + markers[up_to(markers.size() - 1)];
        break;
      case 2:
        text += "x # %\"" + std::string(up_to(9), 'q') + "\" " + markers[0];
        break;
      case 3:
        text += "\t.ascii \"" + std::string(480 + up_to(40), '\\') + "\"";
        break;
      case 4:
        text += "<&>'\"/%%\"\r";
        break;
      default:
        break;
    }
    if (lines > 1 || up_to(1)) text += '\n';
  }
  return text;
}

TEST_F(Compile, AnyListingGivesTheViewersOwnPage) {
  Pipeline pipeline = make_pipeline(2, 96, 64, Weights::embedded);
  const Halide::Module module =
      pipeline.output.compile_to_module(pipeline.arguments, "", Halide::get_host_target());
  patches::halide::write_listing(module, path("l.s"), {.lean_listing = true});
  std::vector<std::string> markers;
  for (const std::string& line : read_lines(path("l.s"))) {
    if (const size_t at = line.find("%\""); at != std::string::npos)
      markers.push_back(line.substr(at));
  }
  ASSERT_GT(markers.size(), 10u);
  std::mt19937 random(1);
  constexpr auto kViewer = patches::halide::Viewer::conceptual_stmt;
  for (int round = 0; round < 50; ++round) {
    std::ofstream(path("l.s"), std::ios::binary) << made_up_listing(markers, random);
    patches::halide::write_page(path("p"), module, kViewer, path("l.s"), {});
    const std::string own = read(path("p"));
    for (const Choice patches : {Choice{.regex_filter = true}, Choice{.marker_lines = true}}) {
      patches::halide::write_page(path("p"), module, kViewer, path("l.s"), patches);
      ASSERT_TRUE(read(path("p")) == own) << "round " << round;
    }
  }
}

TEST_F(Compile, CuttingLeavesShortLinesAndAnyBytesAlone) {
  const std::string bytes = std::string("a\0b\n\xff\xfe", 6) + "\n" + std::string(500, 's') + "\n" +
                            std::string(501, 'l') + "\nno line end";
  std::istringstream listing(bytes);
  std::ostringstream cut;
  patches::halide::cut_long_lines(listing, cut, patches::halide::kLongLine);
  const std::string kept = std::string("a\0b\n\xff\xfe", 6) + "\n" + std::string(500, 's') + "\n";
  EXPECT_TRUE(cut.str().starts_with(kept + std::string(100, 'l')));
  EXPECT_TRUE(cut.str().ends_with("l\" # omitted the remainder of the " +
                                  std::string(HALIDE_VERSION_MAJOR < 21 ? "ASCII " : "") +
                                  "buffer\nno line end"));
}

TEST_F(Compile, WarnsOfEachLargeBufferOnce) {
  const auto warnings = [](int width, int height) {
    const Pipeline pipeline = make_pipeline(2, width, height, Weights::embedded);
    Halide::Func output = pipeline.output;
    return patches::halide::warnings_of(
        output.compile_to_module(pipeline.arguments, "", Halide::get_host_target()));
  };
  EXPECT_TRUE(warnings(96, 64).empty());
  const auto sentences = warnings(768, 512);
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_THAT(sentences[0], testing::HasSubstr("768x512, 1.57 MB"));
  EXPECT_THAT(sentences[0], testing::HasSubstr("ImageParam"));
}

TEST_F(Compile, ForetellsTheListingsSize) {
  const Pipeline pipeline = make_pipeline(1, 768, 512, Weights::embedded);
  Halide::Func output = pipeline.output;
  const Halide::Module module =
      output.compile_to_module(pipeline.arguments, "", Halide::get_host_target());
  patches::halide::write_listing(module, path("l.s"), {.lean_listing = true});
  size_t longest = 0;
  for (const std::string& line : read_lines(path("l.s"))) longest = std::max(longest, line.size());
  const auto& buffer = pipeline.weights[0];
  const double foretold = patches::halide::listed_bytes(
      reinterpret_cast<const uint8_t*>(buffer.data()), buffer.size_in_bytes());
  EXPECT_NEAR(foretold, static_cast<double>(longest), 0.05 * foretold);
}

}  // namespace
