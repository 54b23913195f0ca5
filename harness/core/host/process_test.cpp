#include "harness/core/host/process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace cliffbench {
namespace {

Process shell(const std::string& script, const ProcessLimits& limits = {}) {
  return run_process({"/bin/sh", "-c", script}, {{"WORD", "with \"quotes\" and $HOME"}}, limits);
}

TEST(Process, TellsHowItEnded) {
  EXPECT_EQ(shell("exit 3").exit_code, 3);
  EXPECT_EQ(shell("kill -9 $$").signal, SIGKILL);
  EXPECT_EQ(shell("echo some words >&2").last_words, "some words\n");
  EXPECT_EQ(shell("printf %s \"$WORD\" >&2").last_words, "with \"quotes\" and $HOME");
  EXPECT_EQ(shell("true").stopped, Process::Stopped::no);
}

TEST(Process, CannotStartIsAnExitCodeWithWords) {
  const Process process = run_process({"/no/such/program"}, {}, {});
  EXPECT_EQ(process.exit_code, 127);
  EXPECT_NE(process.last_words.find("/no/such/program"), std::string::npos);
}

TEST(Process, EachSpanOfItsLifeHasItsLimit) {
  EXPECT_EQ(shell("sleep 10", {.span_s = 0.2}).stopped, Process::Stopped::in_setup);
  // On a busy machine a shell takes longer than 0.2 s to start.
  const ProcessLimits limits{.span_s = 1};
  EXPECT_EQ(shell("printf r >&$CLIFFBENCH_READY_FD; sleep 10", limits).stopped,
            Process::Stopped::in_timed_region);
  EXPECT_EQ(shell("printf rd >&$CLIFFBENCH_READY_FD; sleep 10", limits).stopped,
            Process::Stopped::afterwards);
}

TEST(Process, IgnoredSignalsAndClosedStreamsDoNotSaveIt) {
  const ProcessLimits limits{0.2};
  const Process process = shell("trap '' TERM INT; exec 2>&- 1>&-; sleep 10; sleep 10", limits);
  EXPECT_EQ(process.stopped, Process::Stopped::in_setup);
  EXPECT_LT(process.wall_s, 5);
}

TEST(Process, AGrandchildThatHoldsTheStreamsIsNotWaitedFor) {
  const Process process = shell("sleep 30 & exit 0");
  EXPECT_EQ(process.exit_code, 0);
  EXPECT_LT(process.wall_s, 5);
}

TEST(Process, AFloodOfErrorsKeepsItsEnd) {
  const Process process = shell("head -c 3000000 /dev/zero | tr '\\0' x >&2; echo end >&2");
  EXPECT_EQ(process.last_words.size(), 4096u);
  EXPECT_TRUE(process.last_words.ends_with("end\n"));
}

TEST(Process, AnEndlessStreamIsStoppedAtTheLimit) {
  const ProcessLimits limits{0.3};
  const Process process = shell("exec cat /dev/zero >&2", limits);
  EXPECT_EQ(process.stopped, Process::Stopped::in_setup);
  EXPECT_LT(process.wall_s, 5);
  EXPECT_EQ(read_output({"/bin/cat", "/dev/zero"}, 0.3).exit_code, 128);
}

TEST(Process, ABudgetEndsItInEachSpan) {
  const ProcessLimits limits{.span_s = 60, .whole_s = 0.3};
  for (const char* spans : {"", "printf r >&$CLIFFBENCH_READY_FD; ",
                            "printf r >&$CLIFFBENCH_READY_FD; sleep 0.1; "
                            "printf d >&$CLIFFBENCH_READY_FD; "}) {
    const Process process = shell(std::string(spans) + "sleep 10", limits);
    EXPECT_EQ(process.stopped, Process::Stopped::over_budget) << spans;
    EXPECT_LT(process.wall_s, 5);
  }
}

#ifdef __linux__
TEST(Process, WhatItLeavesBehindEndsWithIt) {
  if (std::getenv("CLIFFBENCH_EMULATED"))
    GTEST_SKIP() << "qemu's user emulation does not know PR_SET_CHILD_SUBREAPER";
  const Process process =
      shell("setsid sleep 60 </dev/null >/dev/null 2>&1 & echo $! >&2; sleep 0.1");
  EXPECT_NE(kill(std::stoi(process.last_words), 0), 0);
}
#endif

TEST(ReadOutput, GivesTheTextAndTheCode) {
  EXPECT_EQ(read_output({"/bin/echo", "a b"}, 10).output, "a b\n");
  EXPECT_EQ(read_output({"/bin/sh", "-c", "exit 4"}, 10).exit_code, 4);
  EXPECT_EQ(read_output({"/bin/sh", "-c", "sleep 10"}, 0.1).exit_code, 128);
}

}  // namespace
}  // namespace cliffbench
