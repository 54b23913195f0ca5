"""A job array on a real Slurm of four nodes on this machine, in one folder, started and stopped by the test."""

import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest
from built import CLIFFBENCH, call, rows, steady_part, verdicts
from made_case import steady_cases

HERE = pathlib.Path(__file__).parent
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
NEEDED = ("slurmctld", "slurmd", "munged", "sbatch", "squeue", "scontrol")
MISSING = [name for name in NEEDED if not shutil.which(name, path=PATH)]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"no Slurm here: {', '.join(MISSING)} (Debian: slurm-wlm, munge)")

CONF = """
ClusterName=test
SlurmctldHost=localhost
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=sched_min_interval=100000,sched_interval=1,batch_sched_delay=0
ReturnToService=2
KillWait=2
MailProg=/bin/true
NodeName=n[1-4] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{ports[1]}-{ports[4]}] CPUs=1 RealMemory=50
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP OverSubscribe=EXCLUSIVE
"""


def free_ports(count):
    """Neighbouring ports that are free."""
    for first in range(20000 + os.getpid() % 10000, 60000, count):
        held = []
        try:
            for port in range(first, first + count):
                held.append(socket.create_server(("127.0.0.1", port)))
            return list(range(first, first + count))
        except OSError:
            continue
        finally:
            for one in held:
                one.close()
    raise AssertionError("no free ports")


def wait_for(reached, seconds, what):
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The environment in which sbatch and the others speak to the cluster."""
    import getpass
    folder = tmp_path_factory.mktemp("slurm")
    (folder / "state").mkdir()
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    (folder / "slurm.conf").write_text(CONF.format(folder=folder, user=getpass.getuser(), ports=free_ports(5)))
    env = os.environ | {"PATH": PATH, "SLURM_CONF": str(folder / "slurm.conf"), "CLIFFBENCH": str(CLIFFBENCH)}
    files = [f"--{name}-file={folder}/munge.{name.split('-')[0]}" for name in ("key", "pid", "log", "seed")]
    daemons = []

    def start(*words):
        with open(folder / "daemons.log", "a") as log:
            daemons.append(subprocess.Popen(list(map(str, words)), env=env, stdout=log, stderr=log))

    start("munged", "--foreground", "--force", f"--socket={folder}/munge.sock", *files)
    wait_for(lambda: (folder / "munge.sock").exists(), 20, "munged")
    start("slurmctld", "-D")
    for node in range(1, 5):
        start("slurmd", "-D", "-N", f"n{node}")
    try:
        wait_for(lambda: slurm(env, "sinfo", "-h", "-o", "%T").stdout.split() == ["idle"], 60, "four idle nodes")
        yield env
    finally:
        slurm(env, "scancel", "--state=running,pending", "--user", getpass.getuser())
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()


def slurm(env, *words):
    return subprocess.run(list(map(str, words)), env=env, capture_output=True, text=True, timeout=60)


def tasks(env):
    """State and node of each task of the array that is left, by shard."""
    lines = slurm(env, "squeue", "-h", "--array", "-o", "%K %T %N").stdout.splitlines()
    return {fields[0]: fields[1:] for fields in map(str.split, lines)}


def runner_of(shard_folder):
    """The process that measures into a folder."""
    found = subprocess.run(["pgrep", "-f", f"run.*--out {shard_folder}( |$)"], capture_output=True, text=True).stdout.split()
    return int(found[0])


def test_an_array_with_a_killed_a_requeued_and_a_drained_is_the_plan(cluster, tmp_path):
    programs = steady_cases(tmp_path, 2)
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "programs.txt").write_text("".join(f"{program}\n" for program in programs))
    env = cluster | {"PROGRAMS": str(tmp_path / "programs.txt"), "MINUTES": "30"}
    assert call("plan", *programs, "--rounds", 12, "--seed", 11, "--out", folder / "plan.json").returncode == 0
    submitted = slurm(env, HERE / "submit", folder, 4)
    assert submitted.returncode == 0 and "4 of 4 shards" in submitted.stdout, submitted.stderr
    job = (folder / "job.txt").read_text().strip()

    def lines(shard):
        file = folder / f"rows/{shard}/rows.jsonl"
        return file.read_bytes().count(b"\n") if file.exists() else 0

    wait_for(lambda: all(lines(shard) >= 5 for shard in range(1, 5)), 60, "rows of all shards")
    node = tasks(env)["1"][1]
    assert slurm(env, "scontrol", "update", f"nodename={node}", "state=drain", "reason=test").returncode == 0
    assert slurm(env, "scontrol", "requeue", f"{job}_1").returncode == 0  # killed by Slurm; its node takes no job again
    os.kill(runner_of(folder / "rows/2"), 9)  # killed by the system: the task fails and is submitted again below
    before = lines(1)
    wait_for(lambda: tasks(env).get("1", ["", ""])[0] == "RUNNING" or lines(1) > before + 20, 60, "the requeued task")
    state = tasks(env).get("1")
    assert state is None or state[1] != node
    wait_for(lambda: not tasks(env), 120, "the end of the array")
    left = slurm(env, HERE / "submit", folder, 4)
    assert left.returncode == 0 and "1 of 4 shards" in left.stdout, left.stdout + left.stderr
    wait_for(lambda: not tasks(env), 120, "the end of the second array")
    assert "576 of 576 trials (100 %)" in call("status", folder / "rows").stdout
    assert "all 4 shards are complete" in slurm(env, HERE / "submit", folder, 4).stdout

    merged = folder / "all"
    together = call("merge", *(folder / "rows").iterdir(), "--out", merged)
    assert together.returncode == 0 and "576 of 576 planned trials" in together.stdout, together.stderr
    assert [row["position"] for row in rows(merged)] == list(range(576))
    assert {row["session"] for row in rows(merged)} == {1, 2, 3, 4, 5, 6}  # shards 1 and 2 had two starts
    assert call("judge", merged).returncode == 0
    assert call("run", *programs, "--plan", folder / "plan.json", "--out", tmp_path / "whole").returncode == 0
    assert steady_part(merged) == steady_part(tmp_path / "whole")
    assert verdicts(merged) == verdicts(tmp_path / "whole")


@pytest.mark.parametrize("minutes, text", [("0", "not '0'"), ("2", "a trial may take 3 x 600.0 s, more than a fifth of 2 minutes; "
                                                                     "give MINUTES=151 or more")])
def test_submit_knows_how_long_a_job_must_be(tmp_path, minutes, text):
    (tmp_path / "plan.json").write_text('{\n "cells": [\n  {\n   "limit_s": 20.0,\n  },\n  {\n   "limit_s": 600.0,\n')
    result = slurm(os.environ | {"MINUTES": minutes}, HERE / "submit", tmp_path, 4)
    assert result.returncode == 2 and text in result.stderr


@pytest.mark.parametrize("words, text", [([], "usage"), (["/nowhere", "4"], "'/nowhere' is not a folder"),
                                         (["FOLDER", "none"], "not 'none'")])
def test_submit_says_what_would_be_right(tmp_path, words, text):
    (tmp_path / "plan.json").write_text("{}")
    result = slurm(os.environ, HERE / "submit", *[str(tmp_path) if word == "FOLDER" else word for word in words])
    assert result.returncode == 2 and text in result.stderr
