"""A cluster's own life, and the verbs of people: up, down, kill -9 of everything; pause, activate,
cancel, kill; a real prepare; what the programs link."""

import os
import subprocess
import unittest

from cluster import BIN, EXAMPLE, Cluster, ClusterTest, kill_pid, processes_with


class UpAndDown(unittest.TestCase):
    def setUp(self):
        self.cluster = Cluster()
        self.addCleanup(self.cluster.close)

    def test_down_leaves_no_process_socket_or_lock(self):
        self.cluster.up(agents=2, slots=1)
        # Something that runs when the end comes.
        self.cluster.run("run", "--no-context", "--detach", "--", "sleep", "1000")
        self.cluster.run("local", "down")
        self.assertEqual(processes_with(self.cluster.dir), [])
        left = [os.path.join(root, name) for root, _, names in os.walk(self.cluster.dir) for name in names]
        self.assertEqual([path for path in left if path.endswith((".sock", "local.lock", "local.json"))
                          or ".s.PGSQL" in path or path.endswith("postmaster.pid")], [])
        self.assertIn("no local cluster", self.cluster.run("local", "status", code=1))

    def test_up_works_after_everything_was_killed(self):
        self.cluster.up(agents=1, slots=2)
        done = self.cluster.follow("run", "--no-context", "--", "true")
        self.assertEqual(done.end(), 0, done.lines)
        for pid in processes_with(self.cluster.data):
            try:
                kill_pid(pid)
            except ProcessLookupError:
                pass
        self.cluster.up_again()
        self.assertEqual([e["id"] for e in self.cluster.json("experiment", "list")], [done.experiment])
        again = self.cluster.follow("run", "--no-context", "--", "true")
        self.assertEqual(again.end(), 0, again.lines)

    def test_up_twice_is_up_once(self):
        self.cluster.up(agents=1, slots=1)
        before = self.cluster.json("local", "status")
        self.cluster.up_again()
        self.assertEqual(self.cluster.json("local", "status"), before)


class Verbs(ClusterTest):
    def long_run(self):
        follow = self.cluster.follow("experiment", "create", self.cluster.example("single.yaml"),
                                     "--set", "hyperparameters.steps=100000")
        follow.until(r"step 200 ")
        return follow

    def test_pause_and_activate_resume_from_the_checkpoint(self):
        follow = self.long_run()
        self.cluster.run("experiment", "pause", follow.experiment)
        follow.until(r"PAUSED")
        trial = self.cluster.trials(follow.experiment)[0]["id"]
        # Activated at once: attempt 2 waits until the first has left its checkpoint.
        self.cluster.run("experiment", "activate", follow.experiment)
        follow.until(r"attempt 2")
        attempts = self.cluster.json("trial", "describe", trial)["attempt_list"]
        self.assertEqual(attempts[0]["outcome"], "preempted")
        self.assertIsNotNone(attempts[1]["resumed_from"])
        self.cluster.run("experiment", "kill", follow.experiment)
        self.assertEqual(follow.end(), 4, follow.lines)
        self.assertEqual(self.cluster.trials(follow.experiment)[0]["state"], "CANCELED")

    def test_cancel_leaves_a_checkpoint(self):
        follow = self.long_run()
        self.cluster.run("experiment", "cancel", follow.experiment)
        self.assertEqual(follow.end(), 4, follow.lines)
        trial = self.cluster.trials(follow.experiment)[0]
        self.assertIsNotNone(trial["latest_checkpoint"])
        self.assertEqual(self.cluster.rank_pids(), {})
        said = self.cluster.run("experiment", "pause", follow.experiment, code=1)
        self.assertIn("experiment {} is CANCELED; cannot pause it".format(follow.experiment), said)

    def test_kill_ends_daemons_of_the_rank_too(self):
        follow = self.cluster.follow("run", "--no-context", "--", "sh", "-c",
                                     "setsid sleep 4242 & echo started; sleep 1000")
        trial = self.cluster.trials(follow.experiment)[0]["id"]
        lines = subprocess.Popen([os.path.join(BIN, "dtctl"), "trial", "logs", "--follow", str(trial)],
                                 env=self.cluster.environment, stdout=subprocess.PIPE, text=True)
        self.assertIn("started", lines.stdout.readline())
        self.cluster.run("experiment", "kill", follow.experiment)
        self.assertEqual(follow.end(), 4, follow.lines)
        lines.communicate()
        daemons = [pid for pid in processes_with("sleep\x004242")]
        self.assertEqual(daemons, [])


class FromSource(ClusterTest):
    """The one test that builds the example as a user's context is built."""

    def test_prepare_builds_the_example_once(self):
        for attempt in (1, 2):
            follow = self.cluster.follow("experiment", "create", os.path.join(EXAMPLE, "single.yaml"), EXAMPLE,
                                         "--set", "hyperparameters.steps=40")
            self.assertEqual(follow.end(), 0, (follow.lines, self.cluster.logs()))
            log = self.cluster.log_text(self.cluster.trials(follow.experiment)[0]["id"])
            self.assertEqual("Linking CXX executable" in log, attempt == 1, log[-2000:])


class WhatProgramsLink(unittest.TestCase):
    def libraries(self, program):
        return subprocess.run(["ldd", os.path.join(BIN, program)], stdout=subprocess.PIPE, text=True,
                              check=True).stdout

    def test_no_torch_where_grpc_is_and_no_grpc_where_ranks_are(self):
        for program in ("dt-master", "dt-agent", "dtctl"):
            self.assertNotIn("torch", self.libraries(program), program)
        for program in ("dt-shim", "dt-launch", "fashion_mnist"):
            if program == "fashion_mnist" and not os.path.exists(os.path.join(BIN, program)):
                continue
            for library in ("grpc", "pqxx", "Qt"):
                self.assertNotIn(library, self.libraries(program), program)


if __name__ == "__main__":
    unittest.main()
