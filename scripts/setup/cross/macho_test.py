"""The checker of Mach-O programs, on programs made here; each lie must be found."""

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent
TOOLS = FOLDER.parents[2] / ".deps/cross/python"
HERE = (TOOLS / "macholib").is_dir()
pytestmark = pytest.mark.skipif(not HERE, reason="ziglang and macholib are not here (make cross-macos fetches them)")
if HERE:
    sys.path.insert(0, str(FOLDER))
    import macho


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """(path, header) of a small program for Apple silicon."""
    folder = tmp_path_factory.mktemp("macho")
    (folder / "hello.c").write_text('#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n')
    subprocess.run([FOLDER / "zig-cc", folder / "hello.c", "-o", folder / "hello"], check=True, capture_output=True)
    return folder / "hello", macho.load(folder / "hello")[0]


def faults(program, exports=None):
    path, header = program
    return macho.faults(path, header, exports or {macho.SYSTEM: {"_puts", "dyld_stub_binder"}})


def test_a_correct_program_has_no_fault(program):
    assert faults(program) == []
    assert macho.minimum_os(program[1]) == (11, 0)
    assert macho.needed(program[1]) == [macho.SYSTEM]
    assert "_puts" in macho.symbols(*program)[0]


def test_another_processor_is_found(program, monkeypatch):
    monkeypatch.setattr(macho, "CPU_ARM64", 7)
    assert "is not for arm64" in faults(program)


def test_an_older_system_is_found(program, monkeypatch):
    monkeypatch.setattr(macho, "OLDEST", (12, 0))
    assert any("asks for macOS (11, 0)" in fault for fault in faults(program))


def test_a_missing_signature_is_found(program, monkeypatch):
    kept = macho.commands
    monkeypatch.setattr(macho, "commands", lambda header, *names: [] if "LC_CODE_SIGNATURE" in names else kept(header, *names))
    assert any("signature" in fault for fault in faults(program))


def test_a_symbol_that_no_library_has_is_found(program):
    assert faults(program, {macho.SYSTEM: {"dyld_stub_binder"}}) == [
        f"uses _puts, which {macho.SYSTEM} does not export"]


def test_a_library_that_no_mac_has_is_found(program):
    assert any("neither a Mac nor Halide's wheel" in fault
               for fault in faults(program, {"@rpath/libHalide.dylib": set()}))


def test_a_linux_program_is_ignored(tmp_path):
    assert macho.load(sys.executable) is None


def test_a_program_that_was_not_linked_is_a_fault(tmp_path, capsys):
    assert macho.main(tmp_path, ["cliffbench"], []) == 13
    assert "! cliffbench was not linked" in capsys.readouterr().out


def test_what_is_no_folder_is_a_wrong_call():
    result = subprocess.run([sys.executable, FOLDER / "macho.py", "/no/such"], capture_output=True, text=True)
    assert result.returncode == 2 and result.stderr.startswith("macho: usage:")
