#include "cases/conceptual_stmt/listing.hpp"

#include <gtest/gtest.h>

#include "patches/halide/scratch_file.hpp"

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

/// The same of Mach-O on ARM, in LLVM's words: comments after ';', local labels without a dot,
/// linker hints, no end of a function but a comment.
const std::string kMachO =
    "\t.section\t__TEXT,__text,regular,pure_instructions\n"
    "_output:                                ; @output\n"
    "LBB7_1:                                 ; %&quot;1_for_stage_1.s1.x&quot;\n"
    "; %bb.2:                                ; %entry\n"
    "LBB7_3:                                 ; %&quot;2_for_stage_1.s1.y&quot;\n"
    "                                        ;   Parent Loop BB7_1 Depth=1\n"
    "\tfmla.4s\tv1, v0, v3\n"
    "Lloh4:\n"
    "\tadrp\tx1, l_str.12@PAGE\n"
    "Lloh5:\n"
    "\tldr\tq1, [x8, lCPI7_0@PAGEOFF]\n"
    "\tb.ne\tLBB7_1\n"
    "\t.loh AdrpAdd\tLloh4, Lloh5\n"
    "                                        ; -- End function\n"
    "_halide_malloc:\n"
    "\tret\n"
    "                                        ; -- End function\n"
    "\t.section\t__TEXT,__const\n"
    "l_str.12:\n"
    "\t.asciz\t&quot;a message; of two # parts&quot;\n"
    "_weights_1:\n"
    "\t.ascii\t&quot;\\001\\002&quot;";

const std::string kRightMachO = digest(kStatements, kMachO);

TEST(OracleOfMachO, SeesThePipelinesCode) {
  const auto code = own_code(read_page(page(kStatements, kMachO)), "output");
  EXPECT_EQ(code.size(), 11u);
  EXPECT_EQ(code.at(5), "fmla.4s v1, v0, v3");
  EXPECT_EQ(code.at(7), "adrp x1, {\"a message; of two # parts\"}@PAGE");
  EXPECT_TRUE(own_code(read_page(page(kStatements, kMachO)), "another").empty());
}

TEST(OracleOfMachO, AcceptsWhatAPatchMayChange) {
  EXPECT_EQ(digest(kStatements, replaced(kMachO, "\\001\\002", "\\000")), kRightMachO);
  EXPECT_EQ(digest(kStatements, replaced(kMachO, "_halide_malloc:\n\tret\n", "")), kRightMachO);
  std::string renumbered = kMachO;
  for (int i = 0; i < 4; ++i) renumbered = replaced(renumbered, "BB7_", "BB0_");
  for (const char* label : {"4:", "5:", "4, "}) {
    renumbered = replaced(renumbered, "Lloh" + std::string(label), "Lloh1" + std::string(label));
  }
  renumbered = replaced(renumbered, "lCPI7_0", "lCPI0_0");
  for (int i = 0; i < 2; ++i) renumbered = replaced(renumbered, "l_str.12", "l_str.3");
  EXPECT_EQ(digest(kStatements, renumbered), kRightMachO) << "numbers of labels and constants";
}

TEST(OracleOfMachO, RejectsAChangedInstruction) {
  const auto changed = [](const std::string& old, const std::string& fresh) {
    return digest(kStatements, replaced(kMachO, old, fresh));
  };
  EXPECT_NE(changed("fmla.4s", "fmls.4s"), kRightMachO);
  EXPECT_NE(changed("v0, v3", "v0, v2"), kRightMachO);
  EXPECT_NE(changed("\tb.ne\tLBB7_1", "\tb.ne\tLBB7_3"), kRightMachO) << "behind a '; %bb.2:' line";
  EXPECT_NE(changed("lCPI7_0@", "lCPI7_1@"), kRightMachO);
  EXPECT_NE(changed("two # parts", "two # others"), kRightMachO) << "a constant's text";
  EXPECT_NE(changed("\tfmla.4s\tv1, v0, v3\n", ""), kRightMachO);
}

TEST(OracleOfMachO, RejectsAShiftedMap) {
  EXPECT_NE(digest(replaced(kStatements, "(5)", "(6)"), kMachO), kRightMachO);
  EXPECT_EQ(fault_of(read_page(page(kStatements, kMachO)), 1), "");
  EXPECT_NE(fault_of(read_page(page(replaced(kStatements, "(5)", "(6)"), kMachO)), 1), "");
}

TEST(OracleOfElfOnArm, SeesThePipelinesCode) {
  std::string elf = kAssembly;
  for (size_t at; (at = elf.find("# ")) != std::string::npos;) elf.replace(at, 2, "// ");
  EXPECT_EQ(own_code(read_page(page(kStatements, elf)), "output").size(), 8u);
}

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
  EXPECT_NE(digest(kStatements, replaced(replaced(kAssembly, "\tvaddps\t%ymm0, %ymm1, %ymm2\n", ""),
                                         ".LBB7_1: ", "\tvaddps\t%ymm0, %ymm1, %ymm2\n.LBB7_1: ")),
            kRight)
      << "an instruction that left its loop";
  EXPECT_NE(digest(kStatements, replaced(kAssembly, "jne\t.LBB7_1", "jne\t.LBB7_2")), kRight);
  EXPECT_NE(digest(kStatements, replaced(kAssembly, "a message", "another")), kRight);
  EXPECT_NE(digest(kStatements, replaced(kAssembly, "\tvaddps\t%ymm0, %ymm1, %ymm2\n", "")),
            kRight);
}

TEST(Oracle, AJumpBeyondTheAssemblyLeadsNowhere) {
  for (const int jump : {-1, 0, 3}) {
    const ViewerPage page{.statements = "s", .jumps = {jump}, .assembly = {"first", "last"}};
    EXPECT_NE(canonical(page, "output").find("jump nowhere"), std::string::npos) << jump;
  }
  const ViewerPage page{.statements = "s", .jumps = {1, 2}, .assembly = {"first", "last"}};
  EXPECT_EQ(canonical(page, "output").find("nowhere"), std::string::npos);
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

TEST(Uncounted, ASecondCompilationReadsAsTheFirst) {
  const std::string first =
      "let t20 = (t21 + t20)\nfor stage_1.s0.y\n%\"1_for_stage_1.s1.r1$x\"\n"
      "output_par_for_output_s0_y: # @output_par_for_output_s0_y\n"
      "output: # @output\n.Loutput_metadata_storage";
  const std::string again =
      "let t61 = (t62 + t61)\nfor stage_1$2.s0.y\n%\"1_for_stage_1\\$2\\.s1.r1$x\"\n"
      "output_2_par_for_output_2_s0_y__1: # @output_2_par_for_output_2_s0_y__1\n"
      "output_2: # @output_2\n.Loutput__metadata_storage";
  EXPECT_EQ(uncounted(again, "output$2"), uncounted(first, "output"));
}

TEST(Uncounted, WhatIsAnotherNameStaysAnother) {
  EXPECT_NE(uncounted("t1 t2 t1", "output"), uncounted("t1 t2 t2", "output"));
  EXPECT_NE(uncounted("stage_1", "output"), uncounted("stage_2", "output"));
  EXPECT_EQ(uncounted("target t int8 outputs", "output"), "target t int8 outputs");
  EXPECT_EQ(uncounted("output_21 output_2", "output$2"), "output_21 output");
}

TEST(ScratchFile, HoldsWhatIsAppended) {
  patches::halide::ScratchFile file;
  EXPECT_EQ(file.contents(), "");
  file.append("one\n");
  file.append("");
  file.append("two");
  EXPECT_EQ(file.contents(), "one\ntwo");
}
