// Halide's own page of a pipeline beside the patched ones, each by a process and in a folder of its
// own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cases/conceptual_stmt/examples.hpp"
#include "cases/conceptual_stmt/listing.hpp"
#include "cases/conceptual_stmt/turns.hpp"
#include "patches/halide/conceptual_stmt.hpp"

namespace fs = std::filesystem;

using patches::halide::Choice;
using patches::halide::kEveryPatch;

/// A page, cut up.
struct Parts {
  std::string text;          ///< the page
  std::string canonical;     ///< by the oracle
  std::string rest;          ///< what follows the assembly, such as the pane of a device's code
  std::string fault;         ///< of a jump
  std::ptrdiff_t lines = 0;  ///< of the pipeline's own instructions and labels
  size_t jumps = 0;
};

struct Patched {
  const char* name;
  Choice choice;
  bool identical;  ///< byte by byte
};

inline const Patched kRegexFilter{"regex_filter", {.regex_filter = true}, true};
inline const Patched kMarkerLines{"marker_lines", {.marker_lines = true}, true};
inline const Patched kLeanListing{"lean_listing", {.lean_listing = true}, false};
inline const Patched kBufferStub{"buffer_stub", {.buffer_stub = true}, false};
inline const Patched kAll{"every patch", kEveryPatch, false};

using Choices = std::vector<Patched>;
inline const Choices kEach = {kRegexFilter, kMarkerLines, kLeanListing, kBufferStub, kAll};
/// The patches that search less, and the patches that make another listing.
inline const Choices kSearch = {kRegexFilter, kMarkerLines},
                     kListing = {kLeanListing, kBufferStub, kAll};

class Examples : public testing::Test {
 protected:
  void SetUp() override {
    if (is_anothers_turn()) GTEST_SKIP() << "with another Halide";
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = "examples_test_" + std::to_string(getpid()) + "_" + info->name();
    std::replace(name.begin(), name.end(), '/', '_');
    folder_ = fs::path(testing::TempDir()) / name;
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static Halide::Module module_of(const Example& example) {
    return Halide::Pipeline(example.outputs)
        .compile_to_module(example.arguments, "", example.target);
  }

  /// Writes page.html: by Halide's own call if `patched` is null. Gives it, or what was thrown.
  static std::string compiled(const Example& example, const Patched* patched) {
    constexpr const char* kPage = "page.html";
    try {
      if (!patched) {
        Halide::Pipeline(example.outputs)
            .compile_to_conceptual_stmt(kPage, example.arguments, Halide::HTML, example.target);
      } else if (example.outputs.size() == 1) {
        patches::halide::compile_to_conceptual_stmt(example.outputs[0], kPage, example.arguments,
                                                    Halide::HTML, example.target, patched->choice);
      } else {
        patches::halide::compile_to_viewer(
            module_of(example), patches::halide::Viewer::conceptual_stmt, kPage, patched->choice);
      }
    } catch (const Halide::Error& error) {
      return std::string("error: ") + error.what();
    }
    return read(kPage);
  }

  /// Halide's own page, then one for each choice: each by a process and in a folder of its own, all
  /// from one state, because Halide numbers its names by process.
  std::vector<std::string> pages(const Example& example, const Choices& choices) const {
    const auto folder = [&](size_t i) { return folder_ / std::to_string(i); };
    std::vector<pid_t> children;
    for (size_t i = 0; i <= choices.size(); ++i) {
      fs::create_directories(folder(i));
      children.push_back(fork());
      if (children.back() != 0) continue;
      fs::current_path(folder(i));
      const std::string page = compiled(example, i == 0 ? nullptr : &choices[i - 1]);
      std::ofstream("result", std::ios::binary) << page << std::flush;
      _exit(0);
    }
    std::vector<std::string> texts;
    for (size_t i = 0; i < children.size(); ++i) {
      int status = -1;
      waitpid(children[i], &status, 0);
      EXPECT_EQ(status, 0) << (i == 0 ? "Halide" : choices[i - 1].name);
      texts.push_back(read(folder(i) / "result"));
    }
    return texts;
  }

  /// The function has the name of the first output; the second of a name, `f$1`, is `f_1` there.
  static Parts parts(const Example& example, const std::string& text) {
    std::string function = example.outputs[0].name();
    std::replace(function.begin(), function.end(), '$', '_');
    const ViewerPage page = read_page(text);
    Parts parts{.text = text,
                .canonical = canonical(page, function),
                .rest = text.substr(text.find("</pre>", text.find("<div id='host-assembly-pane'"))),
                .fault = fault_of(page, 0),
                .jumps = page.jumps.size()};
    parts.lines = std::count(parts.canonical.begin(), parts.canonical.end(), '\n') -
                  std::count(page.statements.begin(), page.statements.end(), '\n') -
                  static_cast<std::ptrdiff_t>(parts.jumps);
    return parts;
  }

  static void expect_equal(const std::string& ours, const std::string& own) {
    if (ours == own) return;
    const auto at = static_cast<size_t>(
        std::mismatch(own.begin(), own.end(), ours.begin(), ours.end()).first - own.begin());
    const size_t from = at < 200 ? 0 : at - 200;
    ADD_FAILURE() << "Halide's own:\n"
                  << own.substr(from, 400) << "\n---- but here:\n"
                  << ours.substr(from, 400);
  }

  /// All pages must agree. `lines` and `jumps` are lower bounds, so that there is something to
  /// compare.
  void expect_same(const Example& example, std::ptrdiff_t lines, size_t jumps,
                   const Choices& choices = kEach) const {
    const std::vector<std::string> texts = pages(example, choices);
    ASSERT_FALSE(texts[0].starts_with("error: ")) << texts[0];
    const Parts own = parts(example, texts[0]);
    EXPECT_GE(own.lines, lines);
    EXPECT_GE(own.jumps, jumps);
    EXPECT_EQ(own.fault, "");
    for (size_t i = 0; i < choices.size(); ++i) {
      SCOPED_TRACE(choices[i].name);
      const std::string& text = texts[i + 1];
      if (text.starts_with("error: ")) {
        ADD_FAILURE() << text;
        continue;
      }
      const Parts patched = parts(example, text);
      expect_equal(patched.canonical, own.canonical);
      expect_equal(patched.rest, own.rest);
      if (choices[i].identical) expect_equal(patched.text, own.text);
    }
  }

  /// All must give the same error for a pipeline that Halide refuses.
  void expect_refused(const Example& example) const {
    const std::vector<std::string> texts = pages(example, kEach);
    EXPECT_TRUE(texts[0].starts_with("error: ")) << texts[0].substr(0, 200);
    for (size_t i = 0; i < kEach.size(); ++i) {
      SCOPED_TRACE(kEach[i].name);
      expect_equal(texts[i + 1], texts[0]);
    }
  }

  fs::path folder_;
};
