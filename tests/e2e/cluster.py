"""A local cluster of real processes in a temporary folder, for the end-to-end tests.

Nothing here waits by sleeping: tests read the lines of `dtctl … --follow`, wait for processes by their
pidfd, or let `dtctl experiment wait` tell. DT_BIN names the folder of the programs.
"""

import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BIN = os.path.abspath(os.environ.get("DT_BIN", os.path.join(ROOT, "build", "bin")))
FASHION_MNIST = os.environ.get("DT_FASHION_MNIST", os.path.join(BIN, "fashion_mnist"))
EXAMPLE = os.path.join(ROOT, "examples", "fashion_mnist")
PATIENCE_S = 180


class Follow:
    """`dtctl … --follow` as a stream of lines."""

    def __init__(self, arguments, environment):
        self.lines = []
        self._process = subprocess.Popen(
            arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.experiment = int(self.until(r"created experiment (\d+)").group(1))

    def until(self, pattern):
        """The match of the first further line that has it."""
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))
            found = re.search(pattern, line)
            if found:
                return found
        raise AssertionError("no line matches {!r} in:\n{}".format(pattern, "\n".join(self.lines)))

    def end(self):
        """The exit code, when the experiment is over."""
        self.lines += [line.rstrip("\n") for line in self._process.stdout]
        self._process.stdout.close()
        return self._process.wait(PATIENCE_S)

    def close(self):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


class Cluster:
    def __init__(self):
        # Short: sockets below it have a length limit. Open: root's ranks run as another user.
        self.dir = tempfile.mkdtemp(prefix="dt-e2e-")
        os.chmod(self.dir, 0o755)
        self.data = os.path.join(self.dir, "data")
        self.environment = dict(os.environ, DT_CREDENTIALS=os.path.join(self.dir, "credentials"),
                                DOVETAIL_DIR=self.data)
        for name in ("DT_MASTER", "DT_TOKEN", "CI"):
            self.environment.pop(name, None)
        self._follows = []
        self._options = []
        self._started = []
        self.program = os.path.join(self.dir, "fashion_mnist")  # where any user can run it
        if os.path.exists(FASHION_MNIST):
            shutil.copy(FASHION_MNIST, self.program)

    # --- dtctl

    def run(self, *arguments, code=0):
        """Output of a dtctl command, which must end with this code (None: with any)."""
        done = subprocess.run([os.path.join(BIN, "dtctl"), *map(str, arguments)], env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=PATIENCE_S)
        if code is not None and done.returncode != code:
            raise AssertionError("dtctl {} ended with {}:\n{}{}\n{}".format(
                " ".join(map(str, arguments)), done.returncode, done.stdout, done.stderr, self.logs()))
        return done.stdout + done.stderr

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))

    def sql(self, query):
        """Rows of a query, each a list of texts."""
        text = self.run("local", "psql", "--", "-tAc", query)
        return [line.split("|") for line in text.splitlines()]

    def follow(self, *arguments):
        # What a test preloads is for the daemons: a person's clock and disk are their own. gRPC waits by
        # the wall clock, so a dtctl whose clock jumps back may sleep as long as it jumped.
        environment = {name: value for name, value in self.environment.items() if name != "LD_PRELOAD"}
        follow = Follow([os.path.join(BIN, "dtctl"), *map(str, arguments), "--follow"], environment)
        self._follows.append(follow)
        return follow

    # --- the cluster

    def up(self, agents=1, slots=2, lease="0"):
        self._options = ["--agents", agents, "--slots", slots, "--lease", lease]
        self.run("local", "up", *self._options, "--grpc-port", 0, "--http-port", 0)
        address = self.json("local", "status")
        self._ports = ["--grpc-port", address["grpc"].rsplit(":", 1)[1],
                       "--http-port", address["http"].rsplit(":", 1)[1]]
        return self

    def up_again(self):
        """Starts what is missing, at the same addresses."""
        self.run("local", "up", *self._options, *self._ports)

    def pid(self, name):
        daemons = self.json_any("local", "status")["daemons"]
        return next(daemon["pid"] for daemon in daemons if daemon["name"] == name)

    def json_any(self, *arguments):
        return json.loads(self.run(*arguments, "--json", code=None))

    def kill(self, name):
        """SIGKILL, and wait until it is gone."""
        kill_pid(self.pid(name))

    def start(self, name, program, *arguments):
        """A daemon of our own instead of `dtctl local`'s, once it is ready; its log is with the others."""
        with open(os.path.join(self.data, "logs", name + ".log"), "a") as log:
            process = subprocess.Popen([os.path.join(BIN, program), *map(str, arguments)], text=True,
                                       env=self.environment, stdout=subprocess.PIPE, stderr=log)
        self._started.append(process)
        if not process.stdout.readline().startswith("ready"):
            raise AssertionError("{} did not start:\n{}".format(program, self.logs()))
        return process

    def end_started(self):
        for process in self._started:
            process.terminate()
        for process in self._started:
            process.wait(PATIENCE_S)
            process.stdout.close()
        self._started = []

    def start_master(self, *options):
        """The master by hand, at the same addresses, with further options."""
        at = ["--grpc", "127.0.0.1:" + self._ports[1], "--http", "127.0.0.1:" + self._ports[3]]
        lease = self._options[self._options.index("--lease") + 1].rstrip("s")
        return self.start("master", "dt-master", "--dir", os.path.join(self.data, "master"), *at,
                          "--lease", lease, *options)

    def close(self):
        for follow in self._follows:
            follow.close()
        self.end_started()
        with contextlib.suppress(AssertionError, subprocess.TimeoutExpired):
            self.run("local", "down", code=None)
        for pid in processes_with(self.dir):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.dir, ignore_errors=True)

    def logs(self):
        text = ""
        folder = os.path.join(self.data, "logs")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            with open(os.path.join(folder, name), errors="replace") as file:
                text += "--- {}\n{}".format(name, "".join(file.readlines()[-15:]))
        return text

    # --- experiments

    def config(self, text):
        path = os.path.join(self.dir, "config-{}.yaml".format(time.monotonic_ns()))
        with open(path, "w") as file:
            file.write(text)
        return path

    def example(self, name):
        """An example's configuration for the prebuilt program: no prepare, an absolute entrypoint."""
        with open(os.path.join(EXAMPLE, name)) as file:
            text = file.read()
        text = re.sub(r"(?m)^prepare:.*\n", "", text)
        return self.config(re.sub(r"(?m)^entrypoint:.*", "entrypoint: [{}]".format(self.program), text))

    def wait_gone(self, experiment):
        """Until a deleted experiment has left nothing."""
        deadline = time.monotonic() + PATIENCE_S
        while "does not exist" not in self.run("experiment", "describe", experiment, code=None):
            if time.monotonic() > deadline:
                raise AssertionError("experiment {} is still there\n{}".format(experiment, self.logs()))

    def trials(self, experiment):
        return self.json("experiment", "describe", experiment)["trials"]

    def log_text(self, trial):
        return self.run("trial", "logs", trial)

    def final(self, trial):
        """(loss, hash) of the line that the example ends with."""
        found = re.findall(r"final loss=(\S+) params_sha256=(\w+)", self.log_text(trial))
        if not found:
            raise AssertionError("no final line in the log of trial {}:\n{}".format(trial, self.log_text(trial)))
        return found[-1]

    def rank_processes(self, data_part=""):
        """(rank, pid) of each rank process of this cluster; data_part: only those below it ("agent-2/")."""
        found = []
        for pid in processes_with(os.path.join(self.data, data_part), in_environment=True):
            variables = environment_of(pid)
            if "DT_RANK" in variables and "DT_SOCKET" in variables:
                found.append((int(variables["DT_RANK"]), pid))
        return found

    def rank_pids(self, data_part=""):
        return dict(self.rank_processes(data_part))

    def exit_stamps(self, agent, allocation):
        """rank -> CLOCK_BOOTTIME ms at which its shim reaped it."""
        path = os.path.join(self.data, agent, "allocations", allocation, "state.json")
        with open(path) as file:
            state = json.load(file)
        return {exit["rank"]: exit["ended_boot_ms"] for exit in state.get("exits", [])}


def kill_pid(pid):
    handle = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        wait_gone(handle)
    finally:
        os.close(handle)


def wait_gone(handle, timeout_s=PATIENCE_S):
    ready, _, _ = select.select([handle], [], [], timeout_s)
    if not ready:
        raise AssertionError("the process is still there after {} s".format(timeout_s))


def boot_ms():
    return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000


def environment_of(pid):
    try:
        with open("/proc/{}/environ".format(pid), "rb") as file:
            pairs = file.read().decode(errors="replace").split("\0")
    except OSError:
        return {}
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def processes_with(text, in_environment=False):
    """Pids whose command line (or environment) names this text; not this process."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        part = "environ" if in_environment else "cmdline"
        try:
            with open("/proc/{}/{}".format(name, part), "rb") as file:
                if text.encode() in file.read():
                    found.append(int(name))
        except OSError:
            continue
    return sorted(found)


class ClusterTest(unittest.TestCase):
    """A test class with one cluster; AGENTS, SLOTS and LEASE say which."""

    AGENTS, SLOTS, LEASE = 1, 2, "0"

    def setUp(self):
        self.cluster = Cluster()
        self.addCleanup(self.cluster.close)
        self.cluster.up(self.AGENTS, self.SLOTS, self.LEASE)


def assert_gapless(test, cluster, experiment):
    """Every rank of every trial has every step from 1 to the trial's last, each once."""
    rows = cluster.sql(
        "select p.trial_id, p.rank, count(*), count(distinct step), min(step), max(step) "
        "from metric_points p join trials t on t.id = p.trial_id where t.experiment_id = {} and "
        "metric_group = 'training' and name = 'loss' group by 1, 2 order by 1, 2".format(experiment))
    test.assertTrue(rows)
    for trial, rank, count, distinct, first, last in rows:
        test.assertEqual((count, distinct, first), (last, last, "1"), (trial, rank))
