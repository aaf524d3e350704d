"""A node of a test's own making beside those of `dtctl local`: an agent with an environment and a
way to the master that the test chooses. What it names its folders fits tests/e2e/bad_days.py."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import threading

from cluster import BIN, kill_pid, processes_with, wait_gone


class Node:
    """dt-agent in data/agent-NUMBER; `link` is a Proxy, or nothing for the straight way."""

    def __init__(self, cluster, number, slots=1, link=None, **environment):
        self.name = "agent-{}".format(number)
        self.folder = os.path.join(cluster.data, self.name)
        self._cluster = cluster
        self._slots = slots
        self._link = link
        self._process = None
        self._environment = environment

    def start(self, **environment):
        """Returns once the master has taken it."""
        self._environment.update(environment)
        master = self._cluster.json_any("local", "status")["grpc"]
        if self._link is not None:
            master = self._link.address
        with open(os.path.join(self._cluster.data, "logs", self.name + ".log"), "a") as log:
            self._process = subprocess.Popen(
                [os.path.join(BIN, "dt-agent"), "--master", master, "--dir", self.folder, "--token-file",
                 os.path.join(self._cluster.data, "master", "agent.token"), "--name", self.name,
                 "--address", "127.0.0.1", "--slots", str(self._slots)],
                env=dict(self._cluster.environment, **self._environment), stdout=subprocess.PIPE,
                stderr=log, text=True)
        for line in self._process.stdout:
            if line.startswith("ready"):
                return self
        raise AssertionError("{} did not start:\n{}".format(self.name, self._cluster.logs()))

    @property
    def pid(self):
        return self._process.pid

    def leave(self):
        """Orderly; its spools are handed over."""
        self._end(signal.SIGTERM)

    def lose_power(self):
        """Everything of it is gone at once: the agent, shims, ranks."""
        self._end(signal.SIGKILL)
        while True:
            left = set(processes_with(self.folder)) | set(processes_with(self.folder, in_environment=True))
            if not left:
                return
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    kill_pid(pid)

    def _end(self, number):
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)
        self._process.wait()
        self._process.stdout.close()
        self._process = None

    def close(self):
        self.lose_power()


class Proxy:
    """A wire between a node and the master. Cut, it swallows nothing and delivers nothing: what was
    sent arrives when it is mended, as TCP has it after an outage; new connections wait as well."""

    def __init__(self, target):
        host, port = target.rsplit(":", 1)
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:{}".format(self._listener.getsockname()[1])
        self._pairs = {}  # each socket's other end
        self._is_cut = False
        self._ended = False
        self._wake_out, self._wake_in = socket.socketpair()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def cut(self):
        self._is_cut = True
        self._wake_in.send(b"x")

    def mend(self):
        self._is_cut = False
        self._wake_in.send(b"x")

    def close(self):
        self._ended = True
        self._wake_in.send(b"x")
        self._thread.join()
        for end in [self._listener, self._wake_in, self._wake_out, *self._pairs]:
            end.close()

    def _run(self):
        while not self._ended:
            watched = [self._wake_out]
            if not self._is_cut:
                watched += [self._listener, *self._pairs]
            ready, _, _ = select.select(watched, [], [])
            for end in ready:
                if end is self._wake_out:
                    self._wake_out.recv(64)
                elif end is self._listener:
                    self._accept()
                elif end in self._pairs:
                    self._pass_on(end)

    def _accept(self):
        near, _ = self._listener.accept()
        try:
            far = socket.create_connection(self._target)
        except OSError:
            near.close()
            return
        self._pairs[near], self._pairs[far] = far, near

    def _pass_on(self, end):
        other = self._pairs[end]
        try:
            data = end.recv(1 << 16)
            if data:
                other.sendall(data)
                return
        except OSError:
            pass
        del self._pairs[end], self._pairs[other]
        end.close()
        other.close()
