"""Folders without room, and folders that cannot be written."""

import re
import shutil

from built import (
    EMPTY,
    FAULTS,
    call,
    mounted,
    needs_namespaces,
    own_disk_only,
    rows,
    sentence,
    whole_rows,
)


@needs_namespaces
@own_disk_only
def test_a_full_disk_is_said_and_every_row_is_whole(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    result = mounted(f"-t tmpfs -o size=100k none {folder}", folder, "run", FAULTS, "--axis", "deed=nothing", "--rounds", 100,
                     "--out", folder / "run")
    assert result.returncode == 13, result.stdout
    assert re.search("cannot (append to|write) .*: No space left", sentence(result))
    kept = tmp_path / "disk.kept/run"
    assert {row["status"] for row in rows(kept)} == {"ok"}  # no trial is blamed for the disk
    assert 20 < whole_rows(kept) < 400
    assert call("run", FAULTS, "--resume", kept, "--budget", "0.1s").returncode == 0  # there is room here


@needs_namespaces
def test_a_read_only_folder_is_said(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    result = mounted(f"-t tmpfs -o ro none {folder}", folder, "run", EMPTY, "--out", folder / "run")
    assert result.returncode == 13 and "cannot make the folder" in sentence(result)


@needs_namespaces
def test_a_run_in_a_read_only_folder_is_not_resumed(material, tmp_path):
    copy = shutil.copytree(material / "run", tmp_path / "copy")
    result = mounted(f"--bind {copy} {copy} && mount -o remount,ro,bind {copy}", copy, "run", material / "made", "--resume", copy)
    assert result.returncode == 13 and "Read-only file system" in sentence(result)
