#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nc3farm with Slurm: a controller and two nodes on this machine, on the
loopback interface, and kill -9 of nodes and of what runs on them.

The daemons belong to this test: they end with it, however it ends.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time

from common import (MARK, SECONDS_MAX, SKIP, Failed, Place, command_of, expect,
                    hold, kill, processes_of, run_held, run_tests)

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--bin", required=True, type=os.path.abspath)
PARSER.add_argument("--hold", action="store_true")
ARGUMENTS = PARSER.parse_args()
KILLS = int(os.environ.get("NC3Z_KILLS", "20"))
NODES = ("n1", "n2")

CONF = """\
ClusterName=nc3z
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser=root
StateSaveLocation={path}/state
SlurmctldPidFile={path}/ctld.pid
SlurmctldLogFile={path}/ctld.log
SlurmctldPort={port}
SlurmdPidFile={path}/%n.pid
SlurmdSpoolDir={path}/spool-%n
SlurmdLogFile={path}/%n.log
SlurmdTimeout=15
SlurmdParameters=config_overrides
CommunicationParameters=NoAddrCache,NoCtldInAddrAny,NoInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,batch_sched_delay=1
MpiDefault=none
JobRequeue=1
KillWait=5
MessageTimeout=60
{nodes}
PartitionName=main Nodes={names} Default=YES MaxTime=INFINITE State=UP
"""
NODE = ("NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
        "CPUs=1 RealMemory=500 State=UNKNOWN")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """The daemons, in the foreground, as children of this process."""

    def __init__(self, path):
        self.path = path
        self.daemons = {}
        host = socket.gethostname().partition(".")[0]
        nodes = "\n".join(NODE.format(name=n, host=host, port=free_port())
                          for n in NODES)
        for name in ("state", *(f"spool-{n}" for n in NODES)):
            (path / name).mkdir(parents=True)
        conf = path / "slurm.conf"
        conf.write_text(CONF.format(host=host, path=path, port=free_port(),
                                    nodes=nodes, user="root",
                                    names=",".join(NODES)))
        os.environ["SLURM_CONF"] = str(conf)
        os.environ["SLURM_TIME_FORMAT"] = "standard"

    def __enter__(self):
        self.start("ctld", ["slurmctld", "-D", "-c"])
        for name in NODES:
            self.start_node(name)
        begin = time.monotonic()
        while time.monotonic() - begin < 300:
            found = subprocess.run(["sinfo", "-h", "-o", "%T %D"],
                                   capture_output=True, text=True,
                                   check=False)
            if found.stdout.split() == ["idle", "2"]:
                return self
            time.sleep(0.5)
        logs = "".join(f.read_text()[-1500:] for f in self.path.glob("*.log"))
        self.__exit__()
        raise Failed("no cluster: " + found.stdout + found.stderr + logs)

    def start(self, name, command):
        program = shutil.which(command[0], path="/usr/sbin:/usr/bin")
        self.daemons[name] = subprocess.Popen(
            [program, *command[1:]], cwd=self.path,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start_node(self, name):
        self.start(name, ["slurmd", "-D", "-N", name])

    def stepds(self):
        """What runs jobs leaves the daemon that started it."""
        return [pid for pid in processes_of(os.environ[MARK])
                if any(name in command_of(pid) for name in
                       ("slurmstepd", "nc3farm", "nc3compress"))
                and pid != os.getpid()]

    def victims(self):
        """Daemons of nodes, steps, nc3farm, nc3compress."""
        return [self.daemons[name].pid for name in NODES] + self.stepds()

    def revive(self):
        for name in NODES:
            if self.daemons[name].poll() is not None:
                self.start_node(name)

    def __exit__(self, *_):
        subprocess.run(["scancel", "-f", "--name=nc3farm"], check=False,
                       capture_output=True)
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for pid in self.stepds():
            kill(pid)


def jobs():
    return subprocess.run(["squeue", "-h", "-r", "-o", "%i %t"],
                          capture_output=True, text=True,
                          check=False).stdout.split("\n")[:-1]


def submit(p):
    """As the manual says."""
    numbers = p.farm("left", "--array", p.work).stdout.decode().strip()
    if not numbers:
        return
    command = " ".join(p.command("work", p.work))
    done = subprocess.run(
        ["sbatch", "--requeue", "--open-mode=append", "--job-name=nc3farm",
         f"--array={numbers}", f"--output={p.path}/%a.log", "-n1", "-c1",
         "--mem=50", f"--wrap=exec {command}"], capture_output=True,
        check=False)
    expect(done.returncode == 0, done.stderr)


def work_off(p, cluster, kills):
    """Runs the plan until all is done; kills so many on the way."""
    done, runs, begin, patience = 0, 0, time.monotonic(), 15
    while p.left():
        expect(time.monotonic() - begin < SECONDS_MAX, "it does not end:",
               jobs())
        subprocess.run(["scancel", "-f", "--name=nc3farm"], check=False,
                       capture_output=True)
        submit(p)
        runs, since, last, first = runs + 1, time.monotonic(), None, p.left()
        # A job that was put into the queue again waits for two minutes there.
        while p.left() and time.monotonic() - since < patience:
            time.sleep(p.rng.uniform(0.3, 1.5))
            cluster.revive()
            pids = cluster.victims()
            if done < kills and pids:
                done += kill(p.rng.choice(pids))
            if p.left() != last:
                last, since = p.left(), time.monotonic()
        if last == first:  # a slow machine may need longer than that
            patience *= 2
    print(f"  {done} killed, {runs} arrays")
    return done


def test_slurm():
    with Place(ARGUMENTS.bin) as p, Cluster(p.path / "slurm") as cluster:
        done = 0
        while done < KILLS:
            p.fill(120, 160000)
            p.plan("--task-bytes=400K", options=("-9",))
            done += work_off(p, cluster, KILLS - done)
            p.farm("run", p.work)  # nothing is left but to tidy up
            p.check_packed()


def start_and_hold():
    """A cluster at work."""
    with Place(ARGUMENTS.bin) as p, Cluster(p.path / "slurm") as cluster:
        p.fill(40, 160000)
        p.plan("--task-bytes=400K", options=("-9",))
        submit(p)
        while not cluster.stepds():
            time.sleep(0.1)
        hold()


def test_nothing_is_left():
    """No daemon and no job outlives the tests, though these are killed."""
    commands = run_held(__file__, f"--bin={ARGUMENTS.bin}")
    for name in ("slurmctld", "slurmd", "slurmstepd"):
        expect(any(name in command for command in commands), name, "was not "
               "there, only", commands)


if __name__ == "__main__":
    if os.geteuid() != 0 or not all(
            shutil.which(name, path="/usr/sbin:/usr/bin")
            for name in ("slurmctld", "slurmd", "sbatch")):
        print("Slurm is not installed, or this is not root")
        sys.exit(SKIP)
    sys.exit(run_tests([start_and_hold] if ARGUMENTS.hold else
                       [test_nothing_is_left, test_slurm]))
