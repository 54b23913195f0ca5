#include "cases/conceptual_stmt/listing.hpp"

#include <gtest/gtest.h>

namespace {

/// A page as the viewer writes it, cut down to what the oracle reads.
std::string page(const std::string& statements, const std::string& assembly) {
  return "<html><body><div id='ir-code-pane' class='pane'>" + statements +
         "</div><div id='host-assembly-pane' class='pane'>\n<div id='assemblyContent'>\n<pre>\n" +
         assembly + "\n</pre></div></body></html>";
}

const std::string kStatements =
    "<b>for stage_1.s1.x</b><a onclick='scrollToHostAsm(3)'></a><b>for stage_1.s1.y</b>"
    "<a onclick='scrollToHostAsm(5)'></a>";

const std::string kAssembly =
    "output:                  # @output\n"
    "# %bb.0:                 # %entry\n"
    ".LBB7_1:                 # %&quot;1_for_stage_1.s1.x&quot;\n"
    "\tvaddps\t%ymm0, %ymm1, %ymm2\n"
    ".LBB7_2:                 # %&quot;2_for_stage_1.s1.y&quot;\n"
    "                         # Parent Loop BB7_1 Depth=1\n"
    "\tleaq\t.L.str.4(%rip), %rdi\n"
    "\tjne\t.LBB7_1\n"
    ".Lfunc_end7:\n"
    "halide_malloc:\n"
    "\tretq\n"
    ".L.str.4:\n"
    "\t.asciz\t&quot;a message&quot;\n"
    "weights_1:\n"
    "\t.ascii\t&quot;\\001\\002&quot;";

std::string digest(const std::string& statements, const std::string& assembly) {
  return digest_of(canonical(read_page(page(statements, assembly)), "output"));
}

std::string replaced(std::string text, const std::string& old, const std::string& fresh) {
  const size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), fresh);
}

const std::string kRight = digest(kStatements, kAssembly);

TEST(Oracle, AcceptsWhatAPatchMayChange) {
  EXPECT_EQ(digest(kStatements, replaced(kAssembly, "\\001\\002", "\\000")), kRight)
      << "data of a buffer";
  EXPECT_EQ(digest(kStatements, replaced(kAssembly, "halide_malloc:\n\tretq\n", "")), kRight)
      << "runtime";
  std::string renumbered = kAssembly;
  for (int i = 0; i < 4; ++i) renumbered = replaced(renumbered, "BB7_", "BB0_");
  renumbered = replaced(replaced(renumbered, ".L.str.4(", ".L.str.1("), ".L.str.4:", ".L.str.1:");
  EXPECT_EQ(digest(kStatements, renumbered), kRight) << "numbers of labels and constants";
  EXPECT_EQ(digest(kStatements, replaced(kAssembly, "                  # @", " # @")), kRight)
      << "column";
  std::string moved = replaced(replaced(kStatements, "(3)", "(4)"), "(5)", "(6)");
  EXPECT_EQ(digest(moved, "\t.text\n" + kAssembly), kRight)
      << "all lines moved, and the map with them";
}

TEST(Oracle, RejectsAMissingLoop) {
  EXPECT_NE(digest(replaced(kStatements, "<b>for stage_1.s1.y</b>", ""), kAssembly), kRight);
}

TEST(Oracle, RejectsAShiftedMap) {
  EXPECT_NE(digest(replaced(kStatements, "(5)", "(4)"), kAssembly), kRight);
  EXPECT_NE(digest(kStatements, "\t.text\n" + kAssembly), kRight);
  EXPECT_NE(digest(replaced(kStatements, "(5)", "(500)"), kAssembly), kRight);
}

TEST(Oracle, RejectsAChangedInstruction) {
  EXPECT_NE(digest(kStatements, replaced(kAssembly, "vaddps", "vsubps")), kRight);
  EXPECT_NE(digest(kStatements, replaced(kAssembly, "jne\t.LBB7_1", "jne\t.LBB7_2")), kRight);
  EXPECT_NE(digest(kStatements, replaced(kAssembly, "a message", "another")), kRight);
  EXPECT_NE(digest(kStatements, replaced(kAssembly, "\tvaddps\t%ymm0, %ymm1, %ymm2\n", "")),
            kRight);
}

TEST(Oracle, FindsFaultsWithoutABaseline) {
  const auto fault = [](const std::string& statements, int stages) {
    return fault_of(read_page(page(statements, kAssembly)), stages);
  };
  EXPECT_EQ(fault(kStatements, 1), "");
  EXPECT_EQ(fault(kStatements, 2), "the loops of stage 2 are missing");
  EXPECT_EQ(fault(kStatements, 3), "2 jumps for 3 stages");
  EXPECT_NE(fault(replaced(kStatements, "(5)", "(4)"), 1), "");
  EXPECT_NE(fault(replaced(kStatements, "(5)", "(0)"), 1), "");
}

TEST(Oracle, RefusesWhatIsNoPage) {
  EXPECT_THROW((void)read_page(""), std::runtime_error);
  EXPECT_THROW((void)read_page("<div id='ir-code-pane'>"), std::runtime_error);
  EXPECT_THROW((void)read_page("<div id='ir-code-pane'><div id='host-assembly-pane'>"),
               std::runtime_error);
}

}  // namespace
