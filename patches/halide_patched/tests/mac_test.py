"""macOS's way of `import halide_patched`, with this system's libraries: which patches are taken for which libHalide."""

import re
import shutil
import subprocess

import pytest
from comparison import BUILD, PIPELINES, PYTHON, VERBOSE, build_id, environment, lay_out
from marks import EACH_HALIDE, NEEDS_HALIDE

pytestmark = NEEDS_HALIDE
ON_A_MAC = PIPELINES + "sys.platform = 'darwin'\nimport halide_patched\n"
PAGE = "page(blur(), 'one.html', quick)\nprint(b'# halide-patched:' in open('one.html', 'rb').read())\n"


@pytest.fixture
def packages(tmp_path):
    return lay_out(tmp_path / "packages")


def run(halide, packages, script, **more):
    folder = packages.parent
    done = subprocess.run([PYTHON, "-c", script], cwd=folder, capture_output=True, text=True, timeout=300, env=environment(
        halide, **{"PYTHONPATH": f"{packages}:{halide}/python", "XDG_CACHE_HOME": str(folder / "a cache")} | more))
    assert done.returncode == 0, done.stderr
    return done


def patches_of(halide):
    return BUILD / "halide-patches" / f"{build_id(halide)}.so"


def as_installed(packages, halide):
    """The version of the Halide is known, and the package has patches for it; their path."""
    version = halide.name.removeprefix("halide-")
    (packages / f"halide-{version}.dist-info").mkdir()
    (packages / f"halide-{version}.dist-info/METADATA").write_text(f"Metadata-Version: 2.1\nName: halide\nVersion: {version}\n")
    return packages / f"halide_patched/halide-patches/{version}.dylib"


def compiler(folder, halide):
    """The path of one that notes its words in folder/words."""
    program = folder / "compiler"
    program.write_text(f'#!/bin/sh\necho "$@" >>"{folder}/words"\nwhile [ "$1" != -o ]; do shift; done\n'
                       f'exec cp "{patches_of(halide)}" "$2"\n')
    program.chmod(0o755)
    return str(program)


@EACH_HALIDE
def test_the_packages_patches_are_taken_where_they_load(halide, packages):
    path = as_installed(packages, halide)
    shutil.copy(patches_of(halide), path)
    done = run(halide, packages, ON_A_MAC + PAGE, HALIDE_PATCHES_VERBOSE="1")
    assert done.stdout == "True\n"
    assert f"libHalide.so runs with the patches in {path}\n" in done.stderr


def wheel(halide, packages):
    return {}, (halide / "include").resolve()


def conda(halide, packages):
    """The extension in Python's folder, the library and the header in those of the system."""
    prefix = packages.parent / "envs/mine"
    python = prefix / "lib/python3/site-packages"
    shutil.copytree(halide / "python/halide", python / "halide", ignore=shutil.ignore_patterns("lib", "lib64", "include"))
    shutil.copy(halide / "lib/libHalide.so", prefix / "lib")
    (prefix / "include").symlink_to(halide / "include")
    return {"PYTHONPATH": f"{packages}:{python}", "LD_LIBRARY_PATH": f"{prefix}/lib"}, f"{prefix}/include"


def halide_root(halide, packages):
    more, include = conda(halide, packages)
    (packages.parent / "envs/mine/include").rename(packages.parent / "include")
    (packages.parent / "root/lib").mkdir(parents=True)
    (packages.parent / "root/lib/libHalide.so").symlink_to(halide / "lib/libHalide.so")
    (packages.parent / "include").rename(packages.parent / "root/include")
    return more | {"HALIDE_ROOT": str(packages.parent / "root")}, f"{packages.parent}/root/include"


def checkout(halide, packages):
    tree = packages.parent / "tree"
    shutil.copytree(packages / "halide_patched/halide-patches/source", tree)
    shutil.copy(packages / "halide_patched/halide-patches/build-patches", tree / "patches/halide_patched")
    shutil.copytree(packages / "halide_patched", tree / "patches/halide_patched/halide_patched", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("halide-patches"))
    return {"PYTHONPATH": f"{tree}/patches/halide_patched:{halide}/python"}, (halide / "include").resolve()


@EACH_HALIDE
@pytest.mark.parametrize("layout", [wheel, conda, halide_root, checkout])
def test_else_they_are_built_once_for_the_library_that_is_loaded(halide, layout, packages):
    as_installed(packages, halide).write_text("does not load")
    more, include = layout(halide, packages)
    for _ in range(2):
        done = run(halide, packages, ON_A_MAC + PAGE + PAGE, CXX=compiler(packages.parent, halide), **more)
        assert done.stdout == "True\nTrue\n", done.stderr
    words, = (packages.parent / "words").read_text().splitlines()
    assert f" -I {include} " in words
    assert len(list((packages.parent / "a cache/halide-patched").rglob("*.so"))) == 1


@EACH_HALIDE
def test_patches_that_are_not_linked_to_it_are_not_taken(halide, packages):
    (packages.parent / "other.c").write_text("int other;\n")
    subprocess.run(["cc", "-shared", "-o", "other.so", "other.c"], cwd=packages.parent, check=True)
    shutil.copy(packages.parent / "other.so", as_installed(packages, halide))
    (packages.parent / "compiler").write_text(f'#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp {packages.parent}/other.so "$2"\n')
    (packages.parent / "compiler").chmod(0o755)
    done = run(halide, packages, ON_A_MAC + PAGE + PAGE, CXX=str(packages.parent / "compiler"), **VERBOSE)
    assert done.stdout == "False\nFalse\n"
    assert re.fullmatch(r"halide-patched: .* do not load into \S+/libHalide\.so; the pages are made unpatched\n", done.stderr)


@EACH_HALIDE
def test_without_patches_one_sentence_says_why(halide, packages):
    done = run(halide, packages, ON_A_MAC + PAGE + PAGE, XDG_CACHE_HOME="", HOME="", **VERBOSE)
    assert done.stdout == "False\nFalse\n"
    assert done.stderr.count("\n") == 1 and "there is no cache to build them in" in done.stderr
