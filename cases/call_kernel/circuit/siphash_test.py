"""The hash's instructions for each word do not depend on the compiler: its time is to be upstream's."""

import os
import pathlib
import platform
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[3]
PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include "cases/call_kernel/circuit/siphash.hpp"
int main(int, char** arguments) {
  const long count = std::atol(arguments[1]);
  volatile std::uint64_t four[4] = {1, 2, 3, 4};
  zk::SipHasher hasher;
  if (BEGUN) hasher.u32(5);
  for (long i = 0; i < count; ++i) WRITE;
  std::printf("%llu", static_cast<unsigned long long>(hasher.finish()));
}
"""
# Instructions for each write with -march=x86-64-v3, the loop included; 10 % more or less are let pass.
WRITES = {
    "lone": ("hasher.u64(four[0])", 0, 35),
    "lone, a word begun": ("hasher.u64(four[0])", 1, 42),
    "in a loop": ("hasher.u64_in_loop(four[0])", 0, 28),
    "32 bytes": ("hasher.bytes(const_cast<const std::uint64_t*>(four), 32)", 0, 129),
}


def instructions_a_write(program, folder):
    def count(writes):
        log = folder / "counted.log"
        subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--log-file={log}", "--cachegrind-out-file=/dev/null",
                        program, str(writes)], check=True, capture_output=True)
        return int(re.search(r"refs: *([0-9,]+)", log.read_text())[1].replace(",", ""))

    return (count(3000) - count(1000)) / 2000


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the packed form is x86-64's")
@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
@pytest.mark.skipif("CLIFFBENCH_SANITIZED" in os.environ, reason="the header is compiled anew, without sanitizers")
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("compiler", ["g++-12", "g++-14", "clang++-19"])
def test_each_compiler_makes_the_same_of_a_write(compiler, write, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    code, begun, expected = WRITES[write]
    source, program = tmp_path / "count.cpp", tmp_path / "count"
    source.write_text(PROGRAM)
    subprocess.run([compiler, "-std=c++20", "-O2", "-march=x86-64-v3", "-I", ROOT, f"-DWRITE={code}", f"-DBEGUN={begun}",
                    source, "-o", program], check=True)
    count = instructions_a_write(program, tmp_path)
    print(compiler, write, count)
    assert abs(count - expected) <= 0.1 * expected, count
