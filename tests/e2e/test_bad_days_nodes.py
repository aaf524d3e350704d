"""Bad days of nodes: somebody stops the master, an agent, a shim or a rank; the network is cut; a
rank does not let go, or forks without end; a machine reboots. Each cause is real, each wait is for
what a process says or for its end, and each day ends with assert_all_is_well()."""

import contextlib
import os
import signal
import subprocess
import threading
import unittest

from bad_days import BadDay, assert_all_is_well, end_agents
from cluster import BIN, kill_pid, processes_with, wait_gone
from node import Node, Proxy
from test_two_nodes import is_shim

KILL_GRACE_S = 10  # core/agent/lease.h: from SIGTERM to SIGKILL; the master waits as much again

# In its first attempt the program hears neither SIGTERM nor what its shim asks.
DEAF = """
if os.environ["DT_ATTEMPT"] == "1":
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    run.should_preempt = run.should_stop = lambda: False

def on_step(step):
    pass
"""

# In its first attempt the program forks without end, into groups and sessions of its own, up to the
# limit of its user's processes that it has set itself before; root has no such limit, so never as root.
FORK_BOMB = """
def bomb():
    import resource
    assert os.getuid() != 0
    mine = sum(os.stat("/proc/" + name).st_uid == os.getuid() for name in os.listdir("/proc") if name.isdigit())
    resource.setrlimit(resource.RLIMIT_NPROC, (mine + 150, mine + 150))
    while True:
        try:
            if os.fork() == 0 and os.getpid() % 4 == 0:
                os.setsid()
        except BlockingIOError:
            if os.getppid() == shim:
                say("full")
            pace.wait(0.02)

shim = os.getppid()

def on_step(step):
    if step == 5 and os.environ["DT_ATTEMPT"] == "1":
        bomb()
"""


@contextlib.contextmanager
def stopped(pid):
    """SIGSTOP, and at the end of the block SIGCONT."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@contextlib.contextmanager
def watched(*pids):
    """Descriptors by which to wait for the end of processes."""
    handles = [os.pidfd_open(pid) for pid in pids]
    try:
        yield handles
    finally:
        for handle in handles:
            os.close(handle)


def outage(seconds):
    """The outage itself: nothing is waited for but time."""
    threading.Event().wait(seconds)


class NodeDay(BadDay):
    def attempts(self, follow):
        trial = self.cluster.trials(follow.experiment)[0]["id"]
        return self.cluster.json("trial", "describe", trial)["attempt_list"]

    def node_of(self, attempt):
        return attempt["nodes"][0]["agent_name"]

    def assert_logged(self, follow, *lines):
        """In the first trial's log, once every node has handed over what it has."""
        end_agents(self.cluster)
        log = self.cluster.log_text(self.cluster.trials(follow.experiment)[0]["id"])
        for line in lines:
            self.assertTrue(line in log, "{!r} is not in the log; its end: {}".format(line, log[-500:]))

    def finish(self, follow, code=0):
        if os.path.exists(self.facts.hold_path):
            self.facts.let_go()
        self.assertEqual(follow.end(), code, (follow.lines, self.cluster.logs()))

    def shims(self):
        return [pid for pid in processes_with(self.cluster.data) if is_shim(pid)]


class Stopped(NodeDay):
    """SIGSTOP, for longer than the lease and the master's patience, then SIGCONT."""

    AGENTS, SLOTS, LEASE = 2, 1, "3s"
    PATIENCE_S = 3 + 2 * KILL_GRACE_S

    def test_the_master(self):
        self.facts.hold()
        follow = self.submit(ranks=2, checkpoint_every=20)
        self.facts.until("checkpoint")
        with watched(*self.cluster.rank_pids().values()) as ranks:
            self.assertEqual(len(ranks), 2)
            with stopped(self.cluster.pid("master")):
                for rank in ranks:
                    wait_gone(rank, 3 + KILL_GRACE_S)
                outage(self.PATIENCE_S - 1)
        self.facts.until("start", count=2, attempt=2)
        self.finish(follow)
        first, second = self.attempts(follow)
        self.assertRegex(first["outcome"], "preempted|was silent for too long")
        self.assertIsNotNone(second["resumed_from"])
        self.assert_logged(follow, "no word from the master: the ranks are asked to checkpoint")
        assert_all_is_well(self.cluster, self.facts)

    def test_an_agent_whose_rank_is_deaf(self):
        self.facts.hold()
        follow = self.submit(extra=DEAF, checkpoint_every=20)
        rank = self.facts.until("checkpoint")[0]["pid"]
        stopped_agent = self.node_of(self.attempts(follow)[0])
        with watched(rank) as [handle], stopped(self.cluster.pid(stopped_agent)):
            wait_gone(handle, 3 + KILL_GRACE_S + 5)  # its shim alone knows that the lease is over
            self.facts.until("start", attempt=2)
        self.finish(follow)
        first, second = self.attempts(follow)
        self.assertIn("agent {} was silent for too long".format(stopped_agent), first["outcome"])
        self.assertNotEqual(self.node_of(second), stopped_agent)
        self.assertIsNotNone(second["resumed_from"])
        self.assert_logged(follow, "the lease ended without a word from the master",
                           "rank 0 did not end on preempt: killed")
        assert_all_is_well(self.cluster, self.facts)

    @unittest.skipUnless(os.environ.get("DT_LONG"), "as above, on two nodes: ./dev test --long")
    def test_an_agent_of_a_gang_of_two_nodes(self):
        self.facts.hold()
        follow = self.submit(ranks=2, checkpoint_every=20)
        ranks = self.facts.until("start", count=2)
        self.facts.until("checkpoint")
        nodes = [node["agent_name"] for node in self.attempts(follow)[0]["nodes"]]
        with watched(*[fact["pid"] for fact in ranks]) as handles:
            with stopped(self.cluster.pid(nodes[1])):
                for handle in handles:  # one by its lease, the other by the master's word
                    wait_gone(handle, self.PATIENCE_S + KILL_GRACE_S)
        self.facts.until("start", count=2, attempt=2)
        self.finish(follow)
        self.assertEqual(len(self.attempts(follow)), 2)
        # These ranks do not wait for each other, so one resumes beyond its own last step.
        assert_all_is_well(self.cluster, self.facts, gapless=False)


class StoppedRanks(NodeDay):
    AGENTS, SLOTS, LEASE = 1, 2, "3s"

    def test_a_rank_or_its_shim_goes_on_or_is_killed(self):
        self.a_rank_goes_on_where_it_was()
        self.a_rank_that_stands_still_is_killed()
        self.a_shim_that_stands_still_is_woken_to_kill()
        self.one_that_stands_still_is_preempted_at_its_deadline()
        assert_all_is_well(self.cluster, self.facts)

    def a_rank_goes_on_where_it_was(self):
        self.facts.hold()
        follow = self.submit(ranks=2)
        trial = self.facts.until("start", rank=1)[-1]["trial"]
        step = self.facts.until("safe", trial=trial, rank=1)[-1]["step"]
        far = step + 400  # more than the lease, at 10 ms a step
        with stopped(self.cluster.rank_pids()[1]):
            self.facts.until("safe", trial=trial, rank=0, min_step=far)
        self.facts.until("safe", trial=trial, rank=1, min_step=far)
        self.finish(follow)
        self.assertEqual([a["outcome"] for a in self.attempts(follow)], ["completed"])

    def a_rank_that_stands_still_is_killed(self):
        self.facts.hold()
        follow = self.submit()
        pid = self.facts.until("start", trial=self.trial_of(follow))[-1]["pid"]
        with watched(pid) as [handle], stopped(pid):
            self.cluster.run("experiment", "kill", follow.experiment)
            wait_gone(handle, KILL_GRACE_S)
        self.finish(follow, code=4)

    def a_shim_that_stands_still_is_woken_to_kill(self):
        self.facts.hold()
        follow = self.submit()
        pid = self.facts.until("start", trial=self.trial_of(follow))[-1]["pid"]
        [shim] = self.shims()
        with watched(pid) as [handle], stopped(shim):
            self.cluster.run("experiment", "kill", follow.experiment)
            wait_gone(handle, KILL_GRACE_S)
            self.finish(follow, code=4)

    def one_that_stands_still_is_preempted_at_its_deadline(self):
        self.facts.hold()
        follow = self.submit(arguments=["--set", "preemption_timeout=2"], checkpoint_every=20)
        trial = self.trial_of(follow)
        pid = self.facts.until("checkpoint", trial=trial)[-1]["pid"]
        with watched(pid) as [handle], stopped(pid):
            self.cluster.run("experiment", "pause", follow.experiment)
            wait_gone(handle, 2 + KILL_GRACE_S)
        self.cluster.run("experiment", "activate", follow.experiment)
        self.facts.until("start", trial=trial, attempt=2)
        self.finish(follow)
        self.assertEqual([a["outcome"] for a in self.attempts(follow)],
                         ["preempted: rank 0 was ended by signal 9", "completed"])
        self.assert_logged(follow, "rank 0 did not end on preempt: killed")

    def trial_of(self, follow):
        return self.cluster.trials(follow.experiment)[0]["id"]


class NeverLetsGo(NodeDay):
    def test_a_program_that_ignores_sigterm_is_killed_at_its_deadline(self):
        path = self.cluster.config(
            "entrypoint: ['sh', '-c', \"trap '' TERM; echo deaf; while :; do sleep 0.1; done\"]\n"
            "resources: {slots_per_trial: 1}\nsearcher: {name: single, metric: loss}\n"
            "preemption_timeout: 2\n")
        follow = self.cluster.follow("experiment", "create", path)
        self.until_logged(self.cluster.trials(follow.experiment)[0]["id"], "deaf")
        [pid] = self.cluster.rank_pids().values()
        with watched(pid) as [handle]:
            self.cluster.run("experiment", "cancel", follow.experiment)
            wait_gone(handle, 2 + KILL_GRACE_S)
        self.finish(follow, code=4)
        self.assert_logged(follow, "rank 0 did not end on preempt: killed")
        assert_all_is_well(self.cluster, self.facts)

    def until_logged(self, trial, word):
        log = subprocess.Popen([os.path.join(BIN, "dtctl"), "trial", "logs", "--follow", str(trial)],
                               env=self.cluster.environment, stdout=subprocess.PIPE, text=True)
        self.assertTrue(any(word in line for line in log.stdout), "the log ended without " + word)
        log.kill()
        log.wait()
        log.stdout.close()

    def test_a_fork_bomb_is_killed_whole_and_the_neighbour_never_notices(self):
        self.facts.hold()
        neighbour = self.submit()
        bystander = self.facts.until("start")[-1]
        bomb = self.submit(extra=FORK_BOMB)
        self.facts.until("full")
        self.cluster.run("experiment", "kill", bomb.experiment)
        self.assertEqual(bomb.end(), 4, bomb.lines)
        self.assertEqual(self.processes_of(bomb), [])
        self.the_next_bomb_loses_its_shim()
        step = self.facts.until("safe", trial=bystander["trial"])[-1]["step"]
        self.facts.until("safe", trial=bystander["trial"], min_step=step + 20)
        self.finish(neighbour)
        self.assertEqual([a["outcome"] for a in self.attempts(neighbour)], ["completed"])
        assert_all_is_well(self.cluster, self.facts)

    def the_next_bomb_loses_its_shim(self):
        follow = self.submit(extra=FORK_BOMB)
        trial = self.cluster.trials(follow.experiment)[0]["id"]
        self.facts.until("full", trial=trial)
        allocation = self.attempts(follow)[0]["id"]
        [shim] = [pid for pid in self.shims() if pid in processes_with("allocations/" + allocation)]
        kill_pid(shim)
        self.facts.until("start", trial=trial, attempt=2)
        self.assertEqual([pid for pid in self.processes_of(follow)
                          if pid not in self.cluster.rank_pids().values()], [])
        self.cluster.run("experiment", "kill", follow.experiment)
        self.assertEqual(follow.end(), 4, follow.lines)
        self.assertIn("its shim died", self.attempts(follow)[0]["outcome"])

    def processes_of(self, follow):
        return processes_with("DT_EXPERIMENT_ID={}\0".format(follow.experiment), in_environment=True)


class OwnNodes(NodeDay):
    """Nodes of the test's own, since it cuts their wire or gives them another boot."""

    AGENTS = 1

    def setUp(self):
        super().setUp()
        end_agents(self.cluster)

    def node(self, number, link=None, **environment):
        node = Node(self.cluster, number, link=link, **environment)
        self.addCleanup(node.close)
        return node.start()


class TheNetworkIsCut(OwnNodes):
    LEASE = "9s"

    def test_shorter_than_the_lease_nothing_stops_and_longer_it_goes_on_elsewhere(self):
        proxy = Proxy(self.cluster.json_any("local", "status")["grpc"])
        self.addCleanup(proxy.close)
        far = self.node(2, proxy)
        self.facts.hold()
        follow = self.submit(checkpoint_every=50)
        rank = self.facts.until("checkpoint")[-1]
        proxy.cut()
        outage(3)
        step = self.facts.until("safe")[-1]["step"]
        proxy.mend()
        told = self.facts.until("checkpoint", min_step=step)[-1]["id"]
        self.assertEqual([a["outcome"] for a in self.attempts(follow)], [None])
        self.until_stored(told)  # so that the next attempt has one to go on from

        near = self.node(3)
        with watched(rank["pid"]) as [handle]:
            proxy.cut()
            wait_gone(handle, 9 + KILL_GRACE_S)
        self.facts.until("start", attempt=2)
        proxy.mend()
        for fact in self.facts.so_far(kind="checkpoint", attempt=1):
            self.until_stored(fact["id"])  # though its node was given up before it told of it
        self.finish(follow)
        first, second = self.attempts(follow)
        self.assertIn("agent agent-2 was silent for too long", first["outcome"])
        self.assertEqual([self.node_of(first), self.node_of(second)], ["agent-2", "agent-3"])
        self.assertIsNotNone(second["resumed_from"])
        far.leave()
        near.leave()
        assert_all_is_well(self.cluster, self.facts)

    def until_stored(self, checkpoint):
        for _ in range(600):
            state = self.cluster.sql("select state from checkpoints where id = '{}'".format(checkpoint))
            if state in ([["STORED"]], [["DELETED"]]):
                return
            outage(0.1)
        self.fail("checkpoint {} is not stored".format(checkpoint))


class AMachineReboots(OwnNodes):
    LEASE = "0"  # no time would ever end the wait

    def test_the_wait_ends_at_once_and_attempt_two_resumes(self):
        node = self.node(2, DT_BOOT_ID="before")
        self.facts.hold()
        follow = self.submit(checkpoint_every=20)
        self.facts.until("checkpoint", count=2)
        node.lose_power()
        node.start(DT_BOOT_ID="after")
        self.facts.until("start", attempt=2)
        self.finish(follow)
        first, second = self.attempts(follow)
        self.assertIn("agent agent-2 was rebooted", first["outcome"])
        self.assertIsNotNone(second["resumed_from"])
        node.leave()
        assert_all_is_well(self.cluster, self.facts)


if __name__ == "__main__":
    unittest.main()
