"""Bad days of one machine: a second master on one data folder, ports in use, the wall clock set back in
mid-run, a rank that floods its log. Each ends with bad_days.assert_all_is_well."""

import os
import re
import socket
import struct
import subprocess
import unittest

from bad_days import BadDay, assert_all_is_well, preload
from cluster import BIN, Cluster, processes_with

HOUR_MS = 3_600_000


def run_program(cluster, program, *arguments):
    """(exit code, what it said) of a daemon that must not start."""
    done = subprocess.run([os.path.join(BIN, program), *map(str, arguments)], env=cluster.environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    return done.returncode, done.stdout


class TakenPort:
    def __enter__(self):
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen()
        return self._socket.getsockname()[1]

    def __exit__(self, *_):
        self._socket.close()


class SecondMaster(BadDay):
    """The first one trains on and takes new work, whatever was wrong with the second."""

    def test_names_what_is_taken_and_does_the_first_no_harm(self):
        self.facts.hold()
        follow = self.submit(steps=20)
        self.facts.until("safe")
        self.on_its_data_folder()
        self.on_its_database_with_a_port_in_use()
        self.facts.let_go()
        self.assertEqual(follow.end(), 0, follow.lines)
        after = self.submit(steps=20)
        self.assertEqual(after.end(), 0, after.lines)
        assert_all_is_well(self.cluster, self.facts)

    def on_its_data_folder(self):
        folder = os.path.join(self.cluster.data, "master")
        code, said = run_program(self.cluster, "dt-master", "--dir", folder, "--grpc", "127.0.0.1:0",
                                 "--http", "127.0.0.1:0")
        self.assertEqual(code, 1, said)
        self.assertIn("another master works in {}, process {}".format(folder, self.cluster.pid("master")), said)

    def on_its_database_with_a_port_in_use(self):
        with open(os.path.join(self.cluster.data, "master", "postgres", "service.conf")) as file:
            facts = dict(line.strip().split("=", 1) for line in file if "=" in line)
        database = "postgresql://{user}:{password}@/{dbname}?host={host}".format(**facts)
        with TakenPort() as port:
            code, said = run_program(self.cluster, "dt-master", "--dir", os.path.join(self.cluster.dir, "other"),
                                     "--db", database, "--grpc", "127.0.0.1:{}".format(port))
        self.assertEqual(code, 1, said)
        self.assertIn("gRPC cannot listen on 127.0.0.1:{}".format(port), said)


class PortInUse(unittest.TestCase):
    def setUp(self):
        self.cluster = Cluster()
        self.addCleanup(self.cluster.close)

    def test_of_the_master_is_named_with_its_option_and_nothing_is_left(self):
        folder = os.path.join(self.cluster.dir, "master")
        for what, option, other in (("gRPC", "--grpc", "--http"), ("HTTP", "--http", "--grpc")):
            with self.subTest(what), TakenPort() as port:
                address = "127.0.0.1:{}".format(port)
                code, said = run_program(self.cluster, "dt-master", "--dir", folder, option, address,
                                         other, "127.0.0.1:0")
                self.assertEqual(code, 1, said)
                for word in (what, address, "Address already in use", option):
                    self.assertIn(word, said)
                self.assertEqual(processes_with(folder), [])
                self.assertFalse(os.path.exists(os.path.join(folder, "postgres")))

    def test_of_a_local_cluster_is_named_with_its_option_and_nothing_is_left(self):
        for option, other in (("--grpc-port", "--http-port"), ("--http-port", "--grpc-port")):
            with self.subTest(option), TakenPort() as port:
                said = self.cluster.run("local", "up", "--agents", 1, option, port, other, 0, code=1)
                for word in ("127.0.0.1:{}".format(port), "Address already in use", option):
                    self.assertIn(word, said)
                self.assertEqual(processes_with(self.cluster.data), [])
                self.assertIn("no local cluster", self.cluster.run("local", "status", code=1))
        # The next try, with ports that are free, is like the first.
        self.cluster.up()
        done = self.cluster.follow("run", "--no-context", "--", "true")
        self.assertEqual(done.end(), 0, done.lines)
        assert_all_is_well(self.cluster, gapless=False)


class WallClockIsSet(BadDay):
    """Back an hour, forward two, and again back, for every daemon of ours at once."""

    LEASE = "20s"

    def before_up(self):
        self.moved = os.path.join(self.cluster.dir, "moved")
        self.move(0)
        os.chmod(self.moved, 0o644)
        preload(self.cluster, "wall_clock.c", DT_TEST_WALL_CLOCK=self.moved)

    def move(self, ms):
        with open(self.moved, "r+b" if os.path.exists(self.moved) else "wb") as file:
            file.write(struct.pack("q", ms))

    def test_in_mid_run_moves_no_lease_deadline_or_order(self):
        self.facts.hold()
        follow = self.submit(trials=2, validate_every=10, checkpoint_every=50)
        follow.until(r"step \d+")
        for moved_ms in (-HOUR_MS, HOUR_MS, -HOUR_MS):
            self.move(moved_ms)
            follow.until(r"step \d+")
        # A master that starts in the past goes on from what its database remembers.
        self.cluster.kill("master")
        self.cluster.up_again()
        follow.until(r"step \d+")
        self.cluster.run("experiment", "pause", follow.experiment)
        follow.until(r"PAUSED")
        self.cluster.run("experiment", "activate", follow.experiment)
        self.facts.until("start", count=2, attempt=2)
        self.facts.let_go()
        self.assertEqual(follow.end(), 0, follow.lines)
        times = [int(ms) for [ms] in self.cluster.sql("select created_ms from allocations order by number")]
        self.assertEqual(times, sorted(times))
        assert_all_is_well(self.cluster, self.facts)


class LogFlood(BadDay):
    """One rank of a gang prints without end, as fast as it can, and lines of ten megabytes; what the
    other reports must pass it."""

    LINES_AT_ONCE, LONG_LINE_BYTES = 5000, 10_000_000
    FLOOD = """
long_lines = 0
def on_step(step):
    global long_lines
    if run.rank == 0:
        return
    sys.stdout.write("".join("flood %d %d\\n" % (step, line) for line in range({lines})))
    if long_lines < 3:
        long_lines += 1
        print("x" * {long_line_bytes})
        print("after a long line", flush=True)
"""
    # Stated in docs/decisions/0013-bad-days.md.
    MOST_KIB = {"dt-shim": 64 << 10, "dt-agent": 128 << 10, "dt-master": 256 << 10}

    def test_holds_nobody_up_and_memory_stays_bounded(self):
        self.facts.hold()
        follow = self.submit(
            extra=self.FLOOD.format(lines=self.LINES_AT_ONCE, long_line_bytes=self.LONG_LINE_BYTES),
            ranks=2, steps=20, validate_every=10, safe_every=10)
        # What rank 0 has reported by now reaches the search while rank 1 goes on and on.
        self.facts.until("safe", rank=1, min_step=40)
        due = self.facts.so_far(kind="safe", rank=0)[-1]["step"]
        while int(follow.until(r"step (\d+)").group(1)) < due:
            pass
        printed = self.facts.so_far(kind="safe", rank=1)[-1]["step"] - 40
        print("lines that passed a metric on its way:", printed * self.LINES_AT_ONCE)
        self.assertLess(printed, 20)
        self.check_memory()
        self.facts.let_go()
        self.assertEqual(follow.end(), 0, follow.lines)
        trial = self.cluster.trials(follow.experiment)[0]["id"]
        self.check_lines(trial)
        assert_all_is_well(self.cluster, self.facts)

    def check_memory(self):
        for pid in processes_with(self.cluster.data):
            with open("/proc/{}/status".format(pid)) as file:
                status = file.read()
            name = re.search(r"Name:\s+(\S+)", status).group(1)
            if name in self.MOST_KIB:
                peak_kib = int(re.search(r"VmHWM:\s+(\d+)", status).group(1))
                print(name, "peak", peak_kib >> 10, "MiB")
                self.assertLess(peak_kib, self.MOST_KIB[name], name)

    def check_lines(self, trial):
        last = max(fact["step"] for fact in self.facts.so_far(kind="safe", rank=1))
        counted = self.cluster.sql("select sum(line_count) from log_chunks where trial_id = {} and stream = 1"
                                   .format(trial))[0][0]
        pieces = -(-self.LONG_LINE_BYTES // 65536)
        self.assertEqual(int(counted), last * (self.LINES_AT_ONCE + 1) + 3 * (pieces + 1))
        said = self.cluster.run("trial", "logs", trial, "--rank", 1, "--tail", 5)
        self.assertIn("flood {} {}".format(last, self.LINES_AT_ONCE - 1), said)


if __name__ == "__main__":
    unittest.main()
