"""The installed header and CMake package, used by a program outside the project."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", ROOT / "build")).absolute()
HALIDES = sorted((ROOT / ".deps").glob("halide-*"))

PROGRAM = """
#include <patches/halide/conceptual_stmt.hpp>
int main() {
  Halide::Var x;
  Halide::Func f("f");
  f(x) = Halide::Buffer<float>(64)(x) + 1.0f;
  patches::halide::compile_to_conceptual_stmt(f, "page.html", {}, Halide::HTML, Halide::get_host_target());
}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(consumer CXX)
find_package(cliffbench REQUIRED)
add_library(Halide::Halide SHARED IMPORTED)
set_target_properties(Halide::Halide PROPERTIES IMPORTED_LOCATION ${HALIDE}/lib/libHalide${CMAKE_SHARED_LIBRARY_SUFFIX}
                      INTERFACE_INCLUDE_DIRECTORIES ${HALIDE}/include)
add_executable(consumer consumer.cpp)
target_link_libraries(consumer cliffbench::halide_patches Halide::Halide)
"""


def build_id(halide: pathlib.Path) -> str:
    notes = subprocess.run(["readelf", "--notes", halide / "lib/libHalide.so"], capture_output=True, text=True).stdout
    return re.search("Build ID: ([0-9a-f]+)", notes)[1]


@pytest.mark.skipif(not HALIDES, reason="no Halide")
def test_a_program_finds_the_package_and_writes_its_page(tmp_path):
    def run(*command):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("cmake", "--install", BUILD, "--prefix", tmp_path / "prefix")
    (tmp_path / "consumer.cpp").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}",
        f"-DHALIDE={HALIDES[0]}")
    run("cmake", "--build", tmp_path / "build")
    run(tmp_path / "build/consumer")
    assert "host-assembly-pane" in (tmp_path / "page.html").read_text()
    installed = {path.name for path in (tmp_path / "prefix").rglob("halide-patches/*.so")}
    assert installed == {"preload.so"} | {f"{build_id(halide)}.so" for halide in HALIDES}
    assert run(tmp_path / "prefix/bin/halide-patched", "--", tmp_path / "build/consumer") == ""


def cmake(*words, **more):
    return subprocess.run(["cmake", *words], capture_output=True, text=True, **more)


def test_the_headers_alone_need_nothing_but_cmake(tmp_path):
    """No compiler, no package, no Halide; then find_package, and FetchContent from a folder, outside the project."""
    alone = cmake("-S", ROOT, "-B", tmp_path / "b", "-DCLIFFBENCH_ONLY=patches", "-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON",
                  env=os.environ | {"CXX": "/nonexistent", "CC": "/nonexistent"})
    assert alone.returncode == 0, alone.stderr
    assert "CMAKE_CXX_COMPILER:" not in (tmp_path / "b/CMakeCache.txt").read_text()
    assert cmake("--install", tmp_path / "b", "--prefix", tmp_path / "a prefix").returncode == 0
    fetched = f"""
include(FetchContent)
set(CLIFFBENCH_ONLY patches)
FetchContent_Declare(cliffbench SOURCE_DIR "{ROOT}")
FetchContent_MakeAvailable(cliffbench)
"""
    (tmp_path / "mine.cpp").write_text("#include <patches/halide/choice.hpp>\nstatic_assert(__cplusplus >= 202002L);\n"
                                       "int main() { return patches::halide::choice_of(\"none\").lean_listing; }\n")
    for name, found in {"found": "find_package(cliffbench REQUIRED)", "fetched": fetched}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(mine CXX)\n{found}\nadd_executable(mine ../mine.cpp)\n"
            "target_link_libraries(mine cliffbench::halide_patches)\n")
        made = cmake("-S", tmp_path / name, "-B", tmp_path / name / "b", f"-DCMAKE_PREFIX_PATH={tmp_path / 'a prefix'}")
        assert made.returncode == 0, made.stderr
        assert (built := cmake("--build", tmp_path / name / "b")).returncode == 0, built.stdout + built.stderr
        assert subprocess.run([tmp_path / name / "b/mine"]).returncode == 0


def test_an_unknown_part_is_refused(tmp_path):
    done = cmake("-S", ROOT, "-B", tmp_path, "-DCLIFFBENCH_ONLY=patchs")
    assert done.returncode != 0 and "it is patches, gate, program or empty" in done.stderr
