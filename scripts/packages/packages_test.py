"""Packages are assembled from any program: what is in them, what they say, that twice is the same. Those in dist/, where
`make packages` has written them, must be what their tags promise."""

import base64
import hashlib
import os
import pathlib
import platform
import re
import stat
import subprocess
import sys
import tarfile
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

ROOT = HERE.parent.parent
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


def test_assembling_twice_gives_the_same_bytes(tmp_path):
    """At another time, in another folder, whatever the user's umask."""
    files = {"b": assemble.File(b"2", executable=True), "a": assemble.File(b"1")}
    made = []
    for number, mask in enumerate((0o022, 0o077)):
        folder = tmp_path / str(number)
        folder.mkdir()
        before = os.umask(mask)
        assemble.write_wheel(folder, assemble.Wheel("x", "py3-none-any", (), "", dict(files), {}, {}))
        assemble.write_archive(folder, "x", files)
        os.umask(before)
        made.append(assemble.write_sums(folder).read_text())
        files = dict(reversed(files.items()))
    assert made[0] == made[1] and made[0].count("\n") == 2


def test_an_archive_unpacks_into_one_folder(tmp_path):
    path = assemble.write_archive(tmp_path, "cliffbench-1", program.archive(b"program"))
    with tarfile.open(path) as archive:
        modes = {entry.name: entry.mode for entry in archive}
        assert {name.split("/")[0] for name in modes} == {"cliffbench-1"} and modes["cliffbench-1/cliffbench"] == 0o755
        assert all(entry.uid == 0 and not entry.uname for entry in archive)
    assert "cliffbench-1/LICENSE" in modes and "cliffbench-1/LICENSE-CLI11.txt" in modes


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The bin/ of an environment with nothing else, under a path with a space."""
    folder = tmp_path_factory.mktemp("my work") / "environment"
    venv.create(folder, with_pip=True, symlinks=True)
    subprocess.run([folder / "bin/python", "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", wheel], check=True)
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
    assert result.stderr == "cliffbench: report needs more Python packages; install them with: pip install 'cliffbench[report]'\n"


def test_with_the_extra_the_report_is_written(installed, tmp_path):
    folder = made.write(tmp_path / "run")
    packages = next((ROOT / ".deps/venv/lib").glob("python*/site-packages"))
    result = call(installed / "cliffbench", "report", folder, PYTHONPATH=str(packages))
    assert result.returncode == 0 and (folder / "report.html").exists(), result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="reads ELF")
def test_a_program_that_needs_more_than_it_may_is_refused(tmp_path):
    with pytest.raises(linked.Broken, match="is linked to .*libstdc"):
        linked.check_elf(BUILD / "cliffbench", program.LIBRARIES, {})
    with pytest.raises(linked.Broken, match="newer than its package promises"):
        linked.check_elf(BUILD / "cliffbench", linked.libraries(BUILD / "cliffbench"), {"GLIBC": (2, 3)})
    with pytest.raises(linked.Broken, match="names the folder"):
        linked.check_no_paths("x", b"\0" + bytes(ROOT) + b"/harness")


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
