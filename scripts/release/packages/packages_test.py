"""Packages are assembled from any program: what is in them, what they say, that twice is the same. Those in dist/, where
`make packages` has written them, must be what their tags promise."""

import base64
import hashlib
import importlib.util
import os
import pathlib
import platform
import re
import stat
import subprocess
import sys
import tarfile
import time
import venv
import zipfile
from email.parser import BytesParser

import pytest
from report import made

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import assemble  # noqa: E402
import linked  # noqa: E402
import program  # noqa: E402

ROOT = HERE.parents[2]
BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", ROOT / "build"))
HOST = next((target for target in program.TARGETS if target.name == f"{sys.platform}-{platform.machine()}"), None)
DIST = sorted((ROOT / "dist").glob("*.whl"))


@pytest.fixture(scope="module", autouse=True)
def licences(tmp_path_factory):
    """Stand-ins for those that come with Zig, where `make packages` has not fetched it."""
    stand_in = tmp_path_factory.mktemp("licences") / "LICENSE"
    stand_in.write_text("a licence\n")
    with pytest.MonkeyPatch.context() as patch:
        for name, path in program.LINKED_IN.items():
            if not pathlib.Path(path).exists():
                patch.setitem(program.LINKED_IN, name, stand_in)
        yield


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """With the program of this build, for this system."""
    if not HOST:
        pytest.skip("there is no package for this system")
    return assemble.write_wheel(tmp_path_factory.mktemp("dist"), program.wheel((BUILD / "cliffbench").read_bytes(), HOST))


def test_a_wheel_says_what_it_is(wheel):
    with zipfile.ZipFile(wheel) as archive:
        info = next(name for name in archive.namelist() if name.endswith("METADATA"))
        metadata = BytesParser().parsebytes(archive.read(info))
        tag = BytesParser().parsebytes(archive.read(info.replace("METADATA", "WHEEL")))["Tag"]
    assert (metadata["Name"], metadata["Version"]) == ("cliffbench", assemble.version())
    assert wheel.name == f"cliffbench-{assemble.version()}-{tag}.whl" and tag == f"py3-none-{HOST.tag}"
    assert metadata["Summary"] and metadata["License-Expression"] and metadata["Requires-Python"]
    assert metadata.get_all("License-File")[0] == "LICENSE" and len(metadata.get_all("License-File")) == 1 + len(program.LINKED_IN)
    assert metadata["Provides-Extra"] == "report" and len(metadata.get_all("Requires-Dist")) == 4
    assert "cliffbench gate" in metadata.get_payload() and not re.search(r"\]\((?!https?:)", metadata.get_payload())


def test_every_file_stands_in_the_record_and_only_the_program_may_be_run(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = next(name for name in names if name.endswith("RECORD"))
        lines = dict(line.split(",", 1) for line in archive.read(record).decode().splitlines())
        assert sorted(lines) == sorted(names) and lines.pop(record) == ","
        for name, line in lines.items():
            data = archive.read(name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert line == f"sha256={digest},{len(data)}"
        runnable = [entry.filename for entry in archive.infolist() if entry.external_attr >> 16 & stat.S_IXUSR]
    assert runnable == ["cliffbench/bin/cliffbench"]
    assert not [name for name in names if "test" in pathlib.PurePosixPath(name).name]


def test_the_same_files_give_the_same_bytes(tmp_path, monkeypatch):
    """Whatever the folder, the order and the user's umask. Each file has the commit's time, whatever the clock says."""
    moment = 1_000_000_000
    assert assemble.moment() == max(int(assemble.said("time")), 315532800)
    monkeypatch.setattr(assemble, "moment", lambda: moment)
    files = {"x.dist-info/b": assemble.File(b"2", executable=True), "y": assemble.File(b"1")}
    made = []
    for mask in (0o022, 0o077):
        folder = tmp_path / str(mask)
        folder.mkdir()
        before = os.umask(mask)
        wheel = assemble.write_wheel(folder, assemble.Wheel("x", "py3-none-any", (), "", dict(files), {}, {}))
        archive = assemble.write_archive(folder, "x", files)
        os.umask(before)
        (folder / "notes.txt").write_text("no package")
        made.append(assemble.write_sums(folder).read_text())
        files = dict(reversed(files.items()))
    assert made[0] == made[1] and made[0].count("\n") == 2
    assert subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=folder).returncode == 0
    with zipfile.ZipFile(wheel) as packed:
        assert {entry.date_time for entry in packed.infolist()} == {time.gmtime(moment)[:6]}
        assert {entry.create_system for entry in packed.infolist()} == {3}
        assert [".dist-info/" in name for name in packed.namelist()] == [False] + [True] * 5  # at the end, as PEP 427 asks
    with tarfile.open(archive) as packed:
        assert [(entry.name, entry.mode, entry.mtime, entry.uid, entry.uname) for entry in packed] == [
            ("x/x.dist-info/b", 0o755, moment, 0, ""), ("x/y", 0o644, moment, 0, "")]
    assert archive.read_bytes()[3:8] == b"\0" + moment.to_bytes(4, "little")  # gzip's header: no name, the time


def test_an_archive_has_the_program_and_all_licences():
    files = program.archive(b"program")
    assert files["cliffbench"] == assemble.File(b"program", executable=True)
    assert {"LICENSE", "README.md", "CHANGELOG.md", *(f"LICENSE-{name}.txt" for name in program.LINKED_IN)} == set(files) - {"cliffbench"}


def test_a_folder_is_packed_without_what_is_not_of_it(tmp_path):
    for name in ("a.py", "b/c.py", "b/c_test.py", "conftest.py", "__pycache__/a.pyc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert sorted(assemble.tree(tmp_path, "p")) == ["p/a.py", "p/b/c.py"]


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The bin/ of an environment with nothing else, under a path with a space."""
    folder = tmp_path_factory.mktemp("my work") / "environment"
    venv.create(folder, symlinks=True)
    subprocess.run([sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "-q", "--no-index",
                    "--disable-pip-version-check", wheel], check=True)
    return folder / "bin"


def call(*words, **settings):
    return subprocess.run(words, capture_output=True, text=True, env=os.environ | settings)


def test_the_installed_command_is_the_program(installed):
    own = call(installed / "cliffbench", "--version")
    assert (own.returncode, own.stdout) == (0, call(BUILD / "cliffbench", "--version").stdout)
    assert call(installed / "python", "-m", "cliffbench", "--version").stdout == own.stdout
    assert call(installed / "cliffbench", "gate").returncode == 2


def test_without_the_extra_the_report_says_what_to_install(installed):
    result = call(installed / "cliffbench", "report", "somewhere", PYTHONPATH="")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "cliffbench: report needs more Python packages; install jinja2 and matplotlib, or the wheel with [report]\n"


def test_with_the_extra_the_report_is_written(installed, tmp_path):
    folder = made.write(tmp_path / "run")
    packages = next((ROOT / ".deps/venv/lib").glob("python*/site-packages"))
    result = call(installed / "cliffbench", "report", folder, PYTHONPATH=str(packages))
    assert result.returncode == 0 and (folder / "report.html").exists(), result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="reads ELF")
def test_a_program_that_needs_more_than_it_may_is_refused():
    path = BUILD / "cliffbench"
    libraries, newest = linked.libraries(path), linked.newest(path)
    linked.check_elf(path, libraries, newest)
    assert "libc.so.6" in libraries and newest["GLIBC"] > (2, 4)  # by number: 2.34 is newer
    older = newest | {"GLIBC": (*newest["GLIBC"][:-1], newest["GLIBC"][-1] - 1)}
    for allowed, limits, words in [(libraries - {"libc.so.6"}, newest, r"is linked to libc\.so\.6; "),
                                   (libraries, older, "uses a symbol of GLIBC_.*, newer than its package promises"),
                                   (libraries, {"GLIBC": newest["GLIBC"]}, "newer than its package promises")]:
        with pytest.raises(linked.Broken, match=words):
            linked.check_elf(path, allowed, limits)
    with pytest.raises(linked.Broken, match="names the folder"):
        linked.check_no_paths("x", b"\0" + bytes(ROOT) + b"/harness")


def broken(dist):
    raise linked.Broken("x is broken")
    yield


def compiler_failed(dist):
    raise subprocess.CalledProcessError(1, ["zig", "c++"])
    yield


@pytest.mark.parametrize("words, code, said", [
    ([], 0, "packages: dist/x.gz (0.0 MB)\npackages: dist/SHA256SUMS\n"), (["good"], 0, "dist/x.gz"), (["other"], 2, "it is one of good, "),
    (["broken"], 13, "packages: x is broken\n"), (["failed"], 13, "packages: zig c++ ... failed")])
def test_make_packages_ends_as_it_says(tmp_path, monkeypatch, capsys, words, code, said):
    monkeypatch.syspath_prepend(str(HERE))
    spec = importlib.util.spec_from_file_location("packages_main", HERE / "__main__.py")
    main = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(main)

    def good(dist):
        (dist / "x.gz").write_bytes(b"")
        yield dist / "x.gz"

    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/old.whl").write_text("of another time")
    monkeypatch.setattr(main, "ROOT", tmp_path)
    monkeypatch.setattr(main, "PACKAGES", {"good": good} | ({} if not words else {"broken": broken, "failed": compiler_failed}))
    monkeypatch.setattr(sys, "argv", ["packages", *words])
    assert main.main() == code
    streams = capsys.readouterr()
    assert said in streams.out + streams.err
    assert (tmp_path / "dist/old.whl").exists() == (code == 2)


@pytest.mark.skipif(not DIST, reason="nothing in dist/: `make packages` writes it")
@pytest.mark.parametrize("path", DIST, ids=lambda path: path.name)
def test_what_was_packed_is_what_its_tag_promises(path, tmp_path):
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        for name in names:
            linked.check_no_paths(name, archive.read(name))
        if path.name.startswith("cliffbench-") and "manylinux" in path.name:
            file = pathlib.Path(archive.extract("cliffbench/bin/cliffbench", tmp_path))
            glibc = tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)_", path.name).groups()))
            linked.check_elf(file, program.LIBRARIES, {"GLIBC": glibc})
        compiled = [name for name in names if archive.read(name).startswith(b"\x7fELF")]
        assert bool(compiled) == ("manylinux" in path.name)
        for name in compiled:
            machine = {"x86_64": "X86-64", "aarch64": "AArch64"}[re.search(r"manylinux_\d+_\d+_(\w+)\.whl", path.name)[1]]
            assert machine in linked.readelf(archive.extract(name, tmp_path), "--file-header")


@pytest.mark.skipif(not DIST, reason="nothing in dist/: `make packages` writes it")
def test_the_checksums_are_those_of_the_files():
    assert subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=ROOT / "dist").returncode == 0


@pytest.mark.parametrize("target", ["x86_64-linux-gnu.2.28", "aarch64-macos.11.0"])
def test_the_toolchain_names_programs_that_are_here(target, tmp_path):
    """The compiler itself is fetched; what calls it is in the repository."""
    script = tmp_path / "names.cmake"
    script.write_text(f"include({HERE / 'zig.cmake'})\n"
                      'foreach(name CXX_COMPILER AR RANLIB)\n  list(GET CMAKE_${name} 0 first)\n  message("${first}")\nendforeach()\n')
    words = ["cmake", f"-DZIG_TARGET={target}", "-P", script]
    named = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stderr.split()
    assert len(named) == 3 and [name for name in named if not os.access(name, os.X_OK)] == []
