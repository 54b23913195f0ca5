"""scripts/fleet against a real sshd on this machine, started and stopped by the test."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "harness/e2e")]
from built import BUILD, CLIFFBENCH, call, rows, steady_part, verdicts  # noqa: E402
from made_case import steady_cases  # noqa: E402
from servers import free_ports, wait_for  # noqa: E402

SSHD = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")
pytestmark = pytest.mark.skipif(not (SSHD and shutil.which("ssh")), reason="no sshd here (Debian: openssh-server)")


@pytest.fixture(scope="module")
def ssh(tmp_path_factory):
    """How to reach this machine over ssh without a password."""
    place = tmp_path_factory.mktemp("sshd")
    [port] = free_ports(1)
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place / key], check=True)
    if os.getuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)  # root's sshd insists on it
    (place / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {place}/host\nAuthorizedKeysFile {place}/user.pub\n"
        f"PidFile none\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n")
    (place / "config").write_text(
        f"Host near far\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {place}/user\n  IdentitiesOnly yes\n"
        f"  StrictHostKeyChecking no\n  UserKnownHostsFile {place}/known\n  LogLevel ERROR\n  BatchMode yes\n")
    with open(place / "sshd.log", "w") as log:
        daemon = subprocess.Popen([SSHD, "-D", "-e", "-f", place / "sshd_config"], stdout=log, stderr=log)
    words = ["ssh", "-F", str(place / "config")]
    try:
        wait_for(lambda: subprocess.run([*words, "near", "true"], capture_output=True).returncode == 0, 20, "sshd")
        yield " ".join(words)
    finally:
        daemon.terminate()
        daemon.wait()


def test_two_machines_over_ssh_measure_what_one_would(ssh, tmp_path):
    programs = steady_cases(tmp_path, 2)
    (tmp_path / "programs.txt").write_text("".join(f"{program}\n" for program in programs))
    for host in ("near", "a far away"):  # each with its own checkout
        (tmp_path / host).mkdir()
        (tmp_path / host / "build").symlink_to(BUILD)
    folder = tmp_path / "fleet"
    folder.mkdir()
    assert call("plan", *programs, "--rounds", 6, "--seed", 11, "--out", folder / "plan.json").returncode == 0
    env = os.environ | {"SSH": ssh, "PROGRAMS": str(tmp_path / "programs.txt"), "CLIFFBENCH": str(CLIFFBENCH)}
    words = [HERE.parent / "fleet", folder, f"near={tmp_path}/near", f"far={tmp_path}/a far away"]
    result = subprocess.run(words, env=env, capture_output=True, text=True, timeout=100)
    assert result.returncode == 0 and "288 of 288 planned trials" in result.stdout, result.stderr + result.stdout
    assert [row["position"] for row in rows(folder / "all")] == list(range(288))
    assert call("run", *programs, "--plan", folder / "plan.json", "--out", tmp_path / "whole").returncode == 0
    assert steady_part(folder / "all") == steady_part(tmp_path / "whole")
    assert verdicts(folder / "all") == verdicts(tmp_path / "whole")
    swapped = subprocess.run([*words[:2], words[3], words[2]], env=env, capture_output=True, text=True, timeout=100)
    assert swapped.returncode == 2 and "with other machines or in another order; resume with" in swapped.stderr
    (tmp_path / "other").mkdir()
    (tmp_path / "other/plan.json").write_text((folder / "plan.json").read_text())
    broken = subprocess.run([words[0], tmp_path / "other", words[2], "nowhere=/"], env=env, capture_output=True, text=True, timeout=100)
    assert broken.returncode == 13 and "run the same command again" in broken.stderr


@pytest.mark.skipif(not (shutil.which("parallel") and shutil.which("rsync")), reason="no GNU parallel or rsync here (Debian: parallel, rsync)")
def test_the_line_with_gnu_parallel_measures_what_one_would(ssh, tmp_path):
    programs = steady_cases(tmp_path, 2)
    (tmp_path / "there").mkdir()  # where `near` and `far` lie
    (tmp_path / "there/build").symlink_to(BUILD)
    assert call("plan", *programs, "--rounds", 6, "--seed", 11, "--out", tmp_path / "plan.json").returncode == 0
    text = (HERE.parent.parent / "docs/several-machines.md").read_text()
    line = text[text.index("parallel --sshlogin"):].split("\n    build/")[0].replace("\\\n", " ")
    line = line.replace("--workdir cliffbench", f"--workdir {tmp_path / 'there'}").replace(
        "build/cliffbench run", f"build/cliffbench run {' '.join(map(str, programs))}")
    env = os.environ | {"PARALLEL_SSH": ssh, "HOME": str(tmp_path)}
    result = subprocess.run(["sh", "-c", line], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert result.returncode == 0, result.stderr + result.stdout
    assert call("merge", tmp_path / "rows/1", tmp_path / "rows/2", "--out", tmp_path / "all").returncode == 0
    assert call("run", *programs, "--plan", tmp_path / "plan.json", "--out", tmp_path / "whole").returncode == 0
    assert steady_part(tmp_path / "all") == steady_part(tmp_path / "whole")
    assert verdicts(tmp_path / "all") == verdicts(tmp_path / "whole")
