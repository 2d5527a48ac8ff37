#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nc3farm with Slurm: a controller and two nodes on this machine, on the
loopback interface, and kill -9 of nodes and of what runs on them.

The daemons belong to this test: they end with it, at the latest when their
time is up.
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

from common import SKIP, Failed, Place, descendants, expect, kill, run_tests

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--bin", required=True)
ARGUMENTS = PARSER.parse_args()
KILLS = int(os.environ.get("NC3Z_KILLS", "20"))
SECONDS_MAX = 900
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
CommunicationParameters=NoAddrCache
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
MessageTimeout=10
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
        for _ in range(120):
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
        """A daemon that ends at the latest after a while."""
        program = shutil.which(command[0], path="/usr/sbin:/usr/bin")
        self.daemons[name] = subprocess.Popen(
            ["timeout", "--foreground", "-k5", str(SECONDS_MAX), program,
             *command[1:]],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start_node(self, name):
        self.start(name, ["slurmd", "-D", "-N", name])

    def stepds(self):
        """What runs jobs leaves the daemon that started it."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    environment = file.read()
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    command = file.read()
            except OSError:
                continue
            if command and os.fsencode(self.path) in environment and (
                    b"slurmstepd" in command or b"nc3farm" in command or
                    b"nc3compress" in command) and int(pid) != os.getpid():
                found.append(int(pid))
        return found

    def victims(self):
        """Daemons of nodes, steps, nc3farm, nc3compress."""
        nodes = [pid for name in NODES
                 for pid, _ in descendants(self.daemons[name].pid)]
        return list(set(nodes + self.stepds()))

    def revive(self):
        for name in NODES:
            if self.daemons[name].poll() is not None:
                self.start_node(name)

    def __exit__(self, *_):
        subprocess.run(["scancel", "-f", "--name=nc3farm"], check=False,
                       capture_output=True)
        for daemon in reversed(self.daemons.values()):
            if daemon.poll() is None:
                for pid, _ in descendants(daemon.pid):
                    try:
                        os.kill(pid, signal.SIGTERM)
                    except ProcessLookupError:
                        pass
        for daemon in self.daemons.values():
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                for pid, _ in descendants(daemon.pid):
                    kill(pid)
                daemon.kill()
                daemon.wait()
        for pid in self.stepds():
            kill(pid)


def jobs():
    return subprocess.run(["squeue", "-h", "-r", "-o", "%i %t"],
                          capture_output=True, text=True,
                          check=False).stdout.split("\n")[:-1]


def work_off(p, cluster, kills):
    """Runs the plan until all is done; kills so many on the way."""
    done, runs, begin = 0, 0, time.monotonic()
    while p.left():
        expect(time.monotonic() - begin < SECONDS_MAX - 60,
               "it does not end:", jobs())
        subprocess.run(["scancel", "-f", "--name=nc3farm"], check=False,
                       capture_output=True)
        p.farm("run", "--slurm", p.work, "--", "-n1", "-c1", "--mem=50")
        runs, since, last = runs + 1, time.monotonic(), None
        # A job that was put into the queue again waits for two minutes there.
        while p.left() and time.monotonic() - since < 15:
            time.sleep(p.rng.uniform(0.3, 1.5))
            cluster.revive()
            pids = cluster.victims()
            if done < kills and pids:
                done += kill(p.rng.choice(pids))
            if p.left() != last:
                last, since = p.left(), time.monotonic()
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


if __name__ == "__main__":
    if os.geteuid() != 0 or not all(
            shutil.which(name, path="/usr/sbin:/usr/bin")
            for name in ("slurmctld", "slurmd", "sbatch")):
        print("Slurm is not installed, or this is not root")
        sys.exit(SKIP)
    sys.exit(run_tests([test_slurm]))
