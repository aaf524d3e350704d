"""Kill -9 of the master, of the agent, of a rank: training goes on, or resumes, and loses nothing."""

import os
import signal
import threading
import unittest

from cluster import Cluster, ClusterTest, assert_gapless, wait_gone


def judged(cluster, experiment):
    """What the search heard, in order: the whole of its decisions follows from it."""
    return cluster.sql("select event from searcher_events where experiment_id = {} order by number"
                       .format(experiment))


def points_to_the_stop(cluster, experiment):
    """Validation points up to each trial's last judged step; training loss up to there too."""
    return cluster.sql(
        "select t.number, p.rank, p.metric_group, p.name, p.step, p.value from metric_points p "
        "join trials t on t.id = p.trial_id where t.experiment_id = {} and p.step <= t.latest_step "
        "order by 1, 2, 3, 4, 5".format(experiment))


SEARCH = ["--set", "searcher.max_concurrent_trials=1", "--set", "searcher.max_trials=3",
          "--set", "searcher.max_time=400", "--set", "min_checkpoint_period={batches: 100}"]


class OutagesOfASearch(unittest.TestCase):
    """All against one undisturbed run of the same seed, on one cluster."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)
        cls.cluster.up(agents=1, slots=2)
        calm = cls.follow()
        cls.calm = calm.experiment
        if calm.end() != 0:
            raise AssertionError("the undisturbed search failed:\n" + "\n".join(calm.lines))

    @classmethod
    def follow(cls):
        return cls.cluster.follow("experiment", "create", cls.cluster.example("asha.yaml"), *SEARCH)

    def check(self, program, outage_s):
        follow = self.follow()
        follow.until(r"step 200 ")
        self.cluster.kill(program)
        threading.Event().wait(outage_s)  # the outage itself
        self.cluster.up_again()
        self.assertEqual(follow.end(), 0, follow.lines)
        rough = follow.experiment
        trials, calm_trials = self.cluster.trials(rough), self.cluster.trials(self.calm)
        self.assertEqual([t["attempts"] for t in trials], [1] * len(trials))
        self.assertEqual([t["hparams"] for t in trials], [t["hparams"] for t in calm_trials])
        self.assertEqual(judged(self.cluster, rough), judged(self.cluster, self.calm))
        self.assertEqual(points_to_the_stop(self.cluster, rough), points_to_the_stop(self.cluster, self.calm))
        assert_gapless(self, self.cluster, rough)

    def test_the_master_is_back_at_once(self):
        self.check("master", 0)

    def test_the_master_is_away_for_twenty_seconds(self):
        self.check("master", 20)

    @unittest.skipUnless(os.environ.get("DT_LONG"), "takes two minutes: ./dev test --long")
    def test_the_master_is_away_for_a_minute(self):
        self.check("master", 60)

    def test_the_agent_is_back_at_once(self):
        self.check("agent-1", 0)

    def test_the_agent_is_away_for_twenty_seconds(self):
        self.check("agent-1", 20)

    @unittest.skipUnless(os.environ.get("DT_LONG"), "takes two minutes: ./dev test --long")
    def test_the_agent_is_away_for_a_minute(self):
        self.check("agent-1", 60)


class MeanwhileInAnOutage(ClusterTest):
    """What ends, is killed or is started while somebody is away happens once, and is known in the end."""

    def begin(self, steps, until=r"step 100 "):
        follow = self.cluster.follow("experiment", "create", self.cluster.example("single.yaml"),
                                     "--set", "hyperparameters.steps={}".format(steps),
                                     "--set", "min_validation_period={batches: 100}")
        if until:
            follow.until(until)
        return follow

    def handles(self):
        found = [os.pidfd_open(pid) for pid in self.cluster.rank_pids().values()]
        for handle in found:
            self.addCleanup(os.close, handle)
        return found

    def assert_ran_once(self, follow):
        experiment = follow.experiment
        self.assertEqual(follow.end(), 0, follow.lines)
        self.assertEqual([(t["attempts"], t["restarts"]) for t in self.cluster.trials(experiment)], [(1, 0)])
        hellos = self.cluster.sql("select r.stream, count(*) from records_other r join allocations a "
                                  "on a.epoch = r.epoch and a.number = r.number "
                                  "where a.experiment_id = {} and r.kind = 'hello' group by 1 order by 1"
                                  .format(experiment))
        self.assertEqual(hellos, [["0", "1"], ["1", "1"]])
        assert_gapless(self, self.cluster, experiment)

    def check_end(self, program):
        follow = self.begin(300)
        handles = self.handles()
        self.cluster.kill(program)
        for handle in handles:
            wait_gone(handle)  # it ends by itself, nobody hears it
        self.cluster.up_again()
        self.assert_ran_once(follow)

    def test_a_trial_that_ended_while_the_master_was_away_is_complete(self):
        self.check_end("master")

    def test_a_trial_that_ended_while_the_agent_was_away_is_complete(self):
        self.check_end("agent-1")

    def check_killed(self, experiment, handles):
        for handle in handles:
            wait_gone(handle)
        self.cluster.run("experiment", "wait", experiment, code=4)
        self.assertEqual([t["state"] for t in self.cluster.trials(experiment)], ["CANCELED"])
        self.assertEqual(self.cluster.rank_pids(), {})

    def test_a_kill_while_the_agent_is_away_is_obeyed_when_it_is_back(self):
        follow = self.begin(100000)
        handles = self.handles()
        self.cluster.kill("agent-1")
        self.cluster.run("experiment", "kill", follow.experiment)
        self.assertEqual(len(self.cluster.rank_pids()), 2, "nobody has told them")
        self.cluster.up_again()
        self.check_killed(follow.experiment, handles)

    def test_a_kill_that_was_acknowledged_survives_the_master(self):
        follow = self.begin(100000)
        handles = self.handles()
        self.cluster.run("experiment", "kill", follow.experiment)
        self.cluster.kill("master")
        self.cluster.up_again()
        self.check_killed(follow.experiment, handles)

    def test_a_kill_that_is_asked_for_while_the_master_is_away_is_done_once_it_is_back(self):
        follow = self.begin(100000)
        handles = self.handles()
        self.cluster.kill("master")
        asking = threading.Thread(target=self.cluster.run, args=("experiment", "kill", follow.experiment))
        asking.start()
        self.cluster.up_again()
        asking.join()
        self.check_killed(follow.experiment, handles)

    def test_nothing_is_started_twice_after_reconnects(self):
        follow = self.begin(3000, until=None)
        self.cluster.kill("master")  # somewhere between the submit and the start
        self.cluster.up_again()
        follow.until(r"step 100 ")
        for program in ("agent-1", "master", "agent-1"):
            self.cluster.kill(program)
            self.cluster.up_again()
            self.assertEqual(len(self.cluster.rank_processes()), 2)
        self.assert_ran_once(follow)


class ARankIsKilled(ClusterTest):
    STEPS = ["--set", "hyperparameters.steps=400", "--set", "min_validation_period={batches: 100}"]

    def test_the_other_is_gone_within_a_second_and_the_trial_resumes_exactly(self):
        calm = self.cluster.follow("experiment", "create", self.cluster.example("single.yaml"), *self.STEPS)
        self.assertEqual(calm.end(), 0, calm.lines)
        rough = self.cluster.follow("experiment", "create", self.cluster.example("single.yaml"), *self.STEPS)
        rough.until(r"step 200 ")
        os.kill(self.cluster.rank_pids()[1], signal.SIGKILL)
        rough.until(r"attempt 2")
        self.assertEqual(rough.end(), 0, rough.lines)

        trial = self.cluster.trials(rough.experiment)[0]
        self.assertEqual((trial["attempts"], trial["restarts"]), (2, 1))
        attempts = self.cluster.json("trial", "describe", trial["id"])["attempt_list"]
        stamps = self.cluster.exit_stamps("agent-1", attempts[0]["id"])
        self.assertLessEqual(stamps[0] - stamps[1], 1000)
        self.assertIsNotNone(attempts[1]["resumed_from"])
        self.assertEqual(self.cluster.final(trial["id"]),
                         self.cluster.final(self.cluster.trials(calm.experiment)[0]["id"]))
        assert_gapless(self, self.cluster, rough.experiment)


class AnAgentNeverComesBack(ClusterTest):
    AGENTS, SLOTS, LEASE = 2, 2, "20s"

    def test_its_ranks_end_by_the_lease_and_attempt_two_resumes_on_the_other(self):
        follow = self.cluster.follow("experiment", "create", self.cluster.example("single.yaml"),
                                     "--set", "hyperparameters.steps=100000")
        follow.until(r"step 400 ")
        trial = self.cluster.trials(follow.experiment)[0]["id"]
        node = self.cluster.json("trial", "describe", trial)["attempt_list"][0]["nodes"][0]["agent_name"]
        handles = [os.pidfd_open(pid) for pid in self.cluster.rank_pids().values()]
        self.assertEqual(len(handles), 2)
        self.cluster.kill(node)
        for handle in handles:
            wait_gone(handle, 20 + 10)  # the lease and kill_grace
            os.close(handle)
        follow.until(r"attempt 2")
        attempts = self.cluster.json("trial", "describe", trial)["attempt_list"]
        self.assertNotEqual(attempts[1]["nodes"][0]["agent_name"], node)
        self.assertIsNotNone(attempts[1]["resumed_from"])
        self.cluster.run("experiment", "kill", follow.experiment)


if __name__ == "__main__":
    unittest.main()
