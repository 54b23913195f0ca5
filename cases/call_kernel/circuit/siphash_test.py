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
ONE, FOUR = "hasher.u64(four[0])", "hasher.bytes(const_cast<const std::uint64_t*>(four), 32)"
# Instructions for each write with -march=x86-64-v3, the loop included; 10 % more or less are let pass. Packed additions.
WRITES = {
    "whole word": (ONE, 0, [], 64, 0),
    "4 whole words": (FOUR, 0, [], 122, 0),
    "begun word": (ONE, 1, [], 80, 0),
    "begun word, packed": (ONE, 1, ["-DSIPHASH_PACKED"], 80, 2),
}
DIGESTS = {}  # of a write, packed or not


def counted(program, folder, writes):
    """(instructions, digest)"""
    log = folder / "counted.log"
    digest = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--log-file={log}", "--cachegrind-out-file=/dev/null",
                             program, str(writes)], check=True, capture_output=True).stdout
    return int(re.search(r"refs: *([0-9,]+)", log.read_text())[1].replace(",", "")), digest


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the packed form is x86-64's")
@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
@pytest.mark.skipif("CLIFFBENCH_SANITIZED" in os.environ, reason="the header is compiled anew, without sanitizers")
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("compiler", ["g++-12", "g++-14", "clang++-19"])
def test_each_compiler_makes_the_same_of_a_write(compiler, write, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    code, begun, flags, expected, packed = WRITES[write]
    source, program = tmp_path / "count.cpp", tmp_path / "count"
    source.write_text(PROGRAM)
    subprocess.run([compiler, "-std=c++20", "-O2", "-march=x86-64-v3", "-I", ROOT, f"-DWRITE={code}", f"-DBEGUN={begun}", *flags,
                    source, "-o", program], check=True)
    (few, _), (many, digest) = (counted(program, tmp_path, writes) for writes in (1000, 3000))
    count = (many - few) / 2000
    print(compiler, write, count)
    assert abs(count - expected) <= 0.1 * expected, count
    assert subprocess.run(["objdump", "-d", program], check=True, capture_output=True).stdout.count(b"vpaddq") == packed
    assert DIGESTS.setdefault((code, begun), digest) == digest
