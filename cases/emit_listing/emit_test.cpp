// The listings on the system's LLVM, against Halide's own and against each other.
#include "cases/emit_listing/emit.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <random>

#include "cases/conceptual_stmt/pipeline.hpp"
#include "cases/conceptual_stmt/scratch.hpp"
#include "patches/halide/contents.hpp"
#include "patches/llvm/tail_columns.hpp"

namespace {

using emit_listing::Copy;
using emit_listing::How;
using patches::halide::contents_of;

class Emit : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { emit_listing::initialise_llvm(); }

  /// Bitcode and Halide's own listing of one module.
  void compile(const Halide::Target& target, int buffers = 2) {
    Pipeline pipeline = make_pipeline(buffers, 96, 64, Weights::embedded);
    pipeline.output.compile_to_module(pipeline.arguments, "output", target)
        .compile({{Halide::OutputFileType::bitcode, scratch_ / "p.bc"},
                  {Halide::OutputFileType::assembly, scratch_ / "p.s"}});
  }

  std::string emitted(const How& how) {
    llvm::LLVMContext context;
    const auto module = emit_listing::parse_bitcode(scratch_ / "p.bc", context);
    (void)emit_listing::emit(*module, scratch_ / "l.s", how);
    return contents_of(scratch_ / "l.s");
  }

  const Scratch scratch_;
};

TEST_P(Emit, IsHalidesOwnListingByteForByte) {
  compile(target_named(GetParam()));
  const std::string listing = emitted({});
  EXPECT_GT(listing.size(), 100'000u);
  EXPECT_TRUE(listing == contents_of(scratch_ / "p.s"));
}

TEST_P(Emit, EveryCopyAndEveryStreamGiveTheSameBytes) {
  compile(target_named(GetParam()));
  const std::string listing = emitted({});
  EXPECT_TRUE(emitted({.copy = Copy::clone}) == listing);
  EXPECT_TRUE(emitted({.copy = Copy::none}) == listing);
  EXPECT_TRUE(emitted({.tail_columns = true}) == listing);
  EXPECT_TRUE(emitted({.copy = Copy::none, .tail_columns = true}) == listing);
}

TEST_P(Emit, WithoutCommentsThereAreNoMarkers) {
  compile(target_named(GetParam()));
  EXPECT_NE(emitted({}).find("%\""), std::string::npos);
  EXPECT_EQ(emitted({.verbose = false}).find("%\""), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Targets, Emit, testing::Values("host", "arm-64-osx"),
                         [](const auto& test) {
                           return std::string(test.param) == "host" ? "host" : "apple_m1";
                         });

/// The bytes that the system's assembler makes of a listing.
std::string assembled(const std::string& listing, const std::string& object) {
  const std::string command = "as -o " + object + " " + listing;
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << command;
  return contents_of(object);
}

TEST_F(Emit, TheAssemblerFindsTheDataInItsFile) {
  if (Halide::get_host_target().arch != Halide::Target::X86) GTEST_SKIP() << "needs x86";
  compile(Halide::get_host_target().with_feature(Halide::Target::NoRuntime));
  (void)emitted({.incbin = true});
  const std::string data = contents_of(scratch_ / "l.s.data");
  EXPECT_EQ(data.size(), 2u * 96 * 64 * 4);
  const std::string object = assembled(scratch_ / "l.s", scratch_ / "l.o");
  const std::string whole = assembled(scratch_ / "p.s", scratch_ / "p.o");
  for (const size_t part : {size_t{0}, data.size() / 2}) {
    const std::string buffer = data.substr(part, data.size() / 2);
    EXPECT_NE(object.find(buffer), std::string::npos);
    EXPECT_NE(whole.find(buffer), std::string::npos);
  }
}

TEST_F(Emit, RefusesWhatIsNoBitcode) {
  std::ofstream(scratch_ / "p.bc") << "no bitcode";
  llvm::LLVMContext context;
  EXPECT_THROW((void)emit_listing::parse_bitcode(scratch_ / "p.bc", context), std::runtime_error);
  EXPECT_THROW((void)emit_listing::parse_bitcode(scratch_ / "none", context), std::runtime_error);
}

TEST_F(Emit, SaysThatThereIsNoRoom) {
  compile(Halide::get_host_target().with_feature(Halide::Target::NoRuntime));
  for (const char* listing : {"/dev/full", "/nonexistent/l.s"}) {
    llvm::LLVMContext context;
    const auto module = emit_listing::parse_bitcode(scratch_ / "p.bc", context);
    EXPECT_THROW((void)emit_listing::emit(*module, listing, {}), std::runtime_error) << listing;
  }
}

/// Columns and text of both streams agree for whatever the printer may write, as long as it pads
/// no line of a thousand characters.
TEST(TailColumns, PadsAsTheStreamOfTheLibraryDoes) {
  std::mt19937 random(1);
  const auto up_to = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n)(random); };
  for (int round = 0; round < 200; ++round) {
    llvm::SmallString<0> whole, tail;
    llvm::raw_svector_ostream whole_out(whole), tail_out(tail);
    {
      llvm::formatted_raw_ostream one(whole_out);
      patches::llvm::TailColumns other(tail_out);
      for (size_t n = up_to(400); n > 0; --n) {
        std::string text(up_to(30), 'a');
        if (up_to(2) == 0) text += "\t\xc3\xa9";
        one << text;
        other << text;
        one.PadToColumn(40);
        other.PadToColumn(40);
        if (up_to(9) == 0)
          text = "\n\t.ascii " + std::string(up_to(100'000), 'x');
        else
          text = "# comment";
        one << text << "\n";
        other << text << "\n";
      }
    }
    ASSERT_TRUE(whole == tail) << "round " << round;
  }
}

}  // namespace
