"""What every bad day shares: a light trial program that says what it knows to be safe, and the check
with which each day ends.

`assert_all_is_well(cluster, …)` holds what a rank was told is safe, and what lies in the spools of
the nodes, against what PostgreSQL holds; that no slot and no trial ran twice at once; that nothing is
stuck or left over; and that somebody said what was wrong. Ranks tell their facts through a datagram
socket, so that a test waits for them without sleeping and has them however a rank or a node ends.
"""

import contextlib
import glob
import json
import os
import re
import signal
import socket
import subprocess
import threading
import unittest
import zlib

from cluster import PATIENCE_S, Cluster, assert_gapless, processes_with, wait_gone

check = unittest.TestCase()
check.maxDiff = 4000

# --- the trial program

PROGRAM = '''
import json, os, socket, sys, threading, time
import dovetail

HOLD, FACTS = {hold!r}, {facts!r}
facts = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
facts.connect(FACTS)
run = dovetail.init()
options = run.hparams
pace = threading.Event()

def say(kind, **more):
    get = os.environ.get
    facts.send(json.dumps(dict(
        more, kind=kind, rank=run.rank, trial=run.trial_id, attempt=int(get("DT_ATTEMPT")),
        allocation=get("DT_ALLOCATION_ID"), agent=get("DT_AGENT_ID"), slots=get("DT_SLOT_IDS"),
        pid=os.getpid(), boot_ms=time.clock_gettime(time.CLOCK_BOOTTIME) * 1000)).encode())

def say_when_safe(step):
    """The shim has acknowledged everything up to this step."""
    if run._socket.wait_acked(run._socket._seq, 120):
        say("safe", step=step)

def checkpoint(step):
    with run.checkpoint(step) as folder:
        with open(os.path.join(folder, "state"), "w") as file:
            file.write(str(step))
    say("checkpoint", step=step, id=os.path.basename(folder).lstrip("."))

def loss_of(rank, step):
    return rank + 1.0 / (1 + step)

def validate(step):
    run.report_validation(step, loss=loss_of(0, step) + options["x"], batches=step)

def every(name, step):
    return options.get(name, 0) > 0 and step % options[name] == 0

{extra}
step = run.start_step
say("start", step=step)
while step < options["steps"] or os.path.exists(HOLD):
    step += 1
    run.report(step, loss=loss_of(run.rank, step))
    print("step", step, flush=True)
    on_step(step)
    if run.rank == 0 and every("validate_every", step):
        validate(step)
    if every("safe_every", step):
        say_when_safe(step)
    if run.rank == 0 and every("checkpoint_every", step):
        checkpoint(step)
    if run.should_stop():
        break
    if run.should_preempt():
        if run.rank == 0:
            checkpoint(step)
        say("end", step=step)
        run.exit_preempted()
    pace.wait(options["pace_ms"] / 1000.0)
if run.rank == 0 and not every("validate_every", step):
    validate(step)
say_when_safe(step)
say("end", step=step)
'''

CONFIG = """
name: bad day
entrypoint: [python3, train.py]
resources: {{slots_per_trial: {ranks}}}
searcher: {searcher}
hyperparameters: {{x: {{type: int, minval: 0, maxval: 1000}}, steps: {steps}, pace_ms: {pace_ms},
  validate_every: {validate_every}, safe_every: {safe_every}, checkpoint_every: {checkpoint_every}}}
reproducibility: {{experiment_seed: {seed}}}
max_restarts: {max_restarts}
"""
RANDOM = "{{name: random, max_trials: {trials}, metric: loss}}"
# One trial after another, so that two runs of one seed decide alike.
HALVING = ("{{name: async_halving, max_trials: {trials}, max_concurrent_trials: 1, metric: loss, "
           "num_rungs: 2, divisor: 2, max_time: {steps}}}")
DEFAULTS = dict(searcher=RANDOM, ranks=1, trials=1, steps=200, pace_ms=10, validate_every=50, safe_every=10,
                checkpoint_every=0, seed=7, max_restarts=0)


def loss_of(rank, step):
    return rank + 1.0 / (1 + step)


class Facts:
    """What ranks said, in the order of arrival; a thread of its own keeps taking it in."""

    def __init__(self, cluster):
        self.hold_path = os.path.join(cluster.dir, "hold")
        self._path = os.path.join(cluster.dir, "facts.sock")
        self._changed = threading.Condition()
        self._all = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self._path)
        os.chmod(self._path, 0o777)  # ranks of root's agent are another user
        self._thread = threading.Thread(target=self._take, daemon=True)
        self._thread.start()

    def _take(self):
        while True:
            text = self._socket.recv(65536)
            if not text:
                return
            with self._changed:
                self._all.append(json.loads(text))
                self._changed.notify_all()

    def close(self):
        with contextlib.suppress(OSError):
            end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            end.sendto(b"", self._path)
            end.close()
        self._thread.join()
        self._socket.close()
        os.unlink(self._path)

    def so_far(self, **wanted):
        with self._changed:
            return [fact for fact in self._all if _has(fact, wanted)]

    def until(self, kind, count=1, timeout_s=PATIENCE_S, min_step=0, **wanted):
        """The facts of this kind, once there are so many (with a step of at least min_step)."""
        def found():
            return [fact for fact in self._all if _has(fact, dict(wanted, kind=kind))
                    and fact.get("step", 0) >= min_step]
        with self._changed:
            if not self._changed.wait_for(lambda: len(found()) >= count, timeout_s):
                raise AssertionError("{} of {} facts {} {} in {} s; the last: {}".format(
                    len(found()), count, kind, wanted, timeout_s, self._all[-5:]))
            return found()

    def count(self, kind, **wanted):
        return len(self.so_far(kind=kind, **wanted))

    def hold(self):
        """Ranks go on beyond their steps until let_go()."""
        with open(self.hold_path, "w"):
            pass

    def let_go(self):
        os.unlink(self.hold_path)


def _has(fact, wanted):
    return all(fact.get(name) == value for name, value in wanted.items())


def submit(cluster, facts, extra="def on_step(step):\n    pass\n", arguments=(), **options):
    """Starts an experiment of the program above; a Follow. extra: Python that defines on_step(step);
    arguments: more of them for dtctl."""
    folder = os.path.join(cluster.dir, "context-{}".format(len(os.listdir(cluster.dir))))
    os.mkdir(folder)
    with open(os.path.join(folder, "train.py"), "w") as file:
        file.write(PROGRAM.format(hold=facts.hold_path, facts=facts._path, extra=extra))
    chosen = dict(DEFAULTS, **options)
    chosen["searcher"] = chosen["searcher"].format(**chosen)
    return cluster.follow("experiment", "create", cluster.config(CONFIG.format(**chosen)), folder,
                          *arguments)


class BadDay(unittest.TestCase):
    """A test class with a cluster and the facts of its ranks; AGENTS, SLOTS and LEASE say which."""

    AGENTS, SLOTS, LEASE = 1, 2, "0"

    def setUp(self):
        self.cluster = Cluster()
        self.addCleanup(self.cluster.close)
        self.facts = Facts(self.cluster)
        self.addCleanup(self.facts.close)
        self.before_up()
        self.cluster.up(self.AGENTS, self.SLOTS, self.LEASE)

    def before_up(self):
        """For a day that wants its folders or its environment prepared."""

    def submit(self, **options):
        return submit(self.cluster, self.facts, **options)

    def log(self, name):
        """The path of a daemon's log."""
        return os.path.join(self.cluster.data, "logs", name + ".log")


# --- the check

def assert_all_is_well(cluster, facts=None, said=(), restarts=0, gapless=True):
    """The end of a bad day, after everything that was submitted has ended. `said`: patterns that the
    logs of the daemons must have, for a message must have named the cause. `restarts`: what the day
    may cost all trials together (None: anything). The cluster is down afterwards."""
    assert_nothing_is_stuck(cluster)
    end_agents(cluster)
    assert_stored_what_is_in_spools(cluster)
    if facts is not None:
        assert_stored_what_was_safe(cluster, facts)
        assert_nothing_ran_twice(facts)
    assert_each_point_once(cluster)
    if gapless:
        for [experiment] in cluster.sql("select id from experiments where state = 'COMPLETED'"):
            assert_gapless(check, cluster, experiment)
    cost = int(cluster.sql("select coalesce(sum(restarts), 0) from trials")[0][0])
    if restarts is not None:
        check.assertEqual(cost, restarts, "restarts that the day cost")
    text = everything_said(cluster)
    for pattern in said:
        check.assertRegex(text, pattern)
    assert_down_leaves_nothing(cluster)


def assert_nothing_is_stuck(cluster):
    for what, query in {
            "experiments that go on": "select id, state from experiments where not terminal",
            "trials that go on": "select id, state, message from trials where ended_ms = 0",
            "allocations that go on": "select epoch, number, state, nodes from allocations where not ended",
            "checkpoints in between": "select id, state from checkpoints where lower(state) = 'pending'",
            "records that the search never heard": "select epoch, number, stream, seq, kind, body from inbox",
            "experiments shorter than nothing":
                "select id, created_ms, ended_ms from experiments where ended_ms < created_ms",
            "trials shorter than nothing":
                "select id, created_ms, ended_ms from trials where ended_ms < created_ms",
            "allocations shorter than nothing":
                "select number, created_ms, started_ms, ended_ms from allocations where ended_ms < created_ms "
                "or (started_ms > 0 and not started_ms between created_ms and ended_ms)",
    }.items():
        check.assertEqual(cluster.sql(query), [], what)


def end_agents(cluster):
    """Orderly: each hands over what is left in its spools. Then no rank and no shim is left."""
    agents = [daemon for daemon in cluster.json_any("local", "status")["daemons"]
              if daemon["alive"] and daemon["name"].startswith("agent")]
    handles = [os.pidfd_open(agent["pid"]) for agent in agents]
    for handle in handles:
        signal.pidfd_send_signal(handle, signal.SIGTERM)
    for handle in handles:
        wait_gone(handle)
        os.close(handle)
    check.assertEqual(cluster.rank_pids(), {}, "ranks are left")
    shims = [pid for pid in processes_with(os.path.join(cluster.data, "agent-"))
             if os.path.basename(_program_of(pid)) == "dt-shim"]
    check.assertEqual(shims, [], "shims are left")


def _program_of(pid):
    try:
        return os.readlink("/proc/{}/exe".format(pid))
    except OSError:
        return ""


def spools(cluster):
    """(epoch, number) of each allocation and its spool's records, of every node of this machine."""
    for path in sorted(glob.glob(os.path.join(cluster.data, "agent-*", "allocations", "*", "spool"))):
        epoch, number = os.path.basename(os.path.dirname(path)).split(".")
        yield (int(epoch), int(number)), list(spool_records(path))


def spool_records(path):
    """formats/spool.h: a CRC-32 in hex, a space and JSON a line; a last line may be unfinished."""
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    for place, line in enumerate(lines[:-1]):
        json_text = line[9:]
        check.assertEqual(line[:9], b"%08x " % zlib.crc32(json_text), (path, place))
        yield json.loads(json_text)


def points_of(record):
    """What a record says, as rows of metric_points_raw without their trial and attempt."""
    body = record["body"]
    return {(record["stream"], body.get("group", "training"), name, body["step"], float(value))
            for name, value in body["values"].items() if isinstance(value, (int, float))}


def stored_points(cluster):
    """(trial, attempt) -> its points, and allocation -> (trial, attempt)."""
    points = {}
    for trial, attempt, rank, group, name, step, value in cluster.sql(
            "select trial_id, attempt, rank, metric_group, name, step, value from metric_points_raw"):
        points.setdefault((int(trial), int(attempt)), []).append(
            (int(rank), group, name, int(step), float(value)))
    attempts = {(int(epoch), int(number)): (int(trial), int(attempt)) for epoch, number, trial, attempt
                in cluster.sql("select epoch, number, trial_id, attempt from allocations")}
    return points, attempts


def assert_stored_what_is_in_spools(cluster):
    points, attempts = stored_points(cluster)
    for allocation, records in spools(cluster):
        marks = {int(stream): int(seq) for stream, seq in cluster.sql(
            "select stream, seq from marks where epoch = {} and number = {}".format(*allocation))}
        in_spool = {}
        spoken = set()
        for record in records:
            expected = in_spool.get(record["stream"], 0) + 1
            check.assertEqual(record["seq"], expected, (allocation, record))
            in_spool[record["stream"]] = record["seq"]
            if record["kind"] == "metrics":
                spoken |= points_of(record)
        own = {stream: marks.get(stream) for stream in in_spool}  # other nodes have the others
        check.assertEqual(own, in_spool, "what is stored of allocation {}.{}".format(*allocation))
        missing = spoken - set(points.get(attempts[allocation], []))
        check.assertEqual(sorted(missing)[:5], [], "points of allocation {}.{}".format(*allocation))
        lines = sum(record["kind"] == "log" for record in records)
        stored = cluster.sql(
            "select coalesce(sum(line_count), 0) from log_chunks where trial_id = {} and attempt = {}"
            .format(*attempts[allocation]))[0][0]
        check.assertGreaterEqual(int(stored), lines, "log lines of allocation {}.{}".format(*allocation))


def assert_stored_what_was_safe(cluster, facts):
    points, _ = stored_points(cluster)
    starts = {}
    for fact in facts.so_far():
        who = (fact["trial"], fact["attempt"], fact["rank"])
        if fact["kind"] == "start":
            starts[who] = fact["step"]
        if fact["kind"] != "safe":
            continue
        trial, attempt, rank = who
        stored = set(points.get((trial, attempt), []))
        for step in range(starts[who] + 1, fact["step"] + 1):
            check.assertIn((rank, "training", "loss", step, loss_of(rank, step)), stored, fact)
    for fact in facts.so_far(kind="checkpoint"):
        state = cluster.sql("select state from checkpoints where id = '{}'".format(fact["id"]))
        check.assertIn([text.lower() for [text] in state], (["stored"], ["deleted"]), fact)


def assert_nothing_ran_twice(facts):
    """By what ranks said on a clock that no day moves: a slot has one allocation at a time, a trial
    one attempt."""
    spans = {}
    for fact in facts.so_far():
        key = (fact["trial"], fact["attempt"], fact["rank"])
        begin = spans.get(key, [fact["boot_ms"]])[0]
        slots = {(fact["agent"], slot) for slot in fact["slots"].split(",")}
        spans[key] = (begin, fact["boot_ms"], slots)
    starts = [(fact["trial"], fact["attempt"], fact["rank"]) for fact in facts.so_far(kind="start")]
    check.assertEqual(len(starts), len(set(starts)), "a rank of an attempt was started twice")
    ordered = sorted((begin, end, key, slots) for key, (begin, end, slots) in spans.items())
    for place, (_, end, key, slots) in enumerate(ordered):
        for later_begin, _, later_key, later_slots in ordered[place + 1:]:
            if key[:2] == later_key[:2]:
                continue  # ranks of one attempt
            if key[0] == later_key[0] or slots & later_slots:
                check.assertLessEqual(end, later_begin, (key, later_key, slots))


def assert_each_point_once(cluster):
    for view, columns in (("metric_points", "trial_id, rank, metric_group, name, step"),
                          ("metric_points_raw", "trial_id, attempt, rank, metric_group, name, step")):
        twice = cluster.sql("select {0}, count(*) from {1} group by {0} having count(*) > 1 limit 5"
                            .format(columns, view))
        check.assertEqual(twice, [], "points that {} has twice".format(view))


def everything_said(cluster):
    """All that daemons and shims wrote for people."""
    text = ""
    for pattern in ("logs/*.log", "agent-*/allocations/*/shim.log"):
        for path in sorted(glob.glob(os.path.join(cluster.data, pattern))):
            with open(path, errors="replace") as file:
                text += "--- {}\n{}".format(os.path.relpath(path, cluster.data), file.read())
    return text


def assert_down_leaves_nothing(cluster):
    cluster.end_started()
    cluster.run("local", "down")
    check.assertEqual(processes_with(cluster.data), [])
    check.assertEqual(processes_with(cluster.data, in_environment=True), [])


# --- tools of single days

def preload(cluster, source, **variables):
    """A library beside this file, compiled and preloaded into all daemons that start from now on."""
    library = os.path.join(cluster.dir, source.replace(".c", ".so"))
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library,
                    os.path.join(os.path.dirname(os.path.abspath(__file__)), source)], check=True)
    cluster.environment.update(LD_PRELOAD=library, **variables)


def may_mount():
    return os.geteuid() == 0 and not os.environ.get("DT_NO_MOUNT")


class SmallDisk:
    """A folder whose disk gets full and gets free again: a file system of its own where the test may
    mount one, else a preloaded library."""

    def __init__(self, cluster, path, bytes_in_all):
        self._may_mount = may_mount()
        self._path = path
        os.makedirs(path)
        if self._may_mount:
            options = "mode=755,size={}".format(bytes_in_all)
            subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path], check=True)
        else:
            preload(cluster, "full_disk.c", DT_TEST_FULL_DISK=path)

    def fill(self):
        if not self._may_mount:
            return open(self._path + ".full", "w").close()
        with open(self._path + "/ballast", "ab", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))

    def free(self):
        os.unlink(self._path + ("/ballast" if self._may_mount else ".full"))

    def close(self):
        if self._may_mount:
            subprocess.run(["umount", "-l", self._path], check=False)



def wait_for_line(path, pattern, timeout_s=PATIENCE_S, start=0):
    """The match of the first line, from byte `start` on, of a file that grows; `tail` is woken by the
    kernel when it does."""
    tail = subprocess.Popen(["tail", "-c", "+{}".format(start + 1), "-F", path],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
    timer = threading.Timer(timeout_s, tail.kill)
    timer.start()
    try:
        for line in tail.stdout:
            found = re.search(pattern, line)
            if found:
                return found
    finally:
        timer.cancel()
        tail.kill()
        tail.wait()
        tail.stdout.close()
    raise AssertionError("{} has no line {!r} after {} s".format(path, pattern, timeout_s))
