"""Searches with real trials: one that a program drives from outside, one that pauses and promotes,
and one that copies its best."""

import os
import re
import subprocess
import unittest

from cluster import PATIENCE_S, ROOT, ClusterTest

EXAMPLE = os.path.join(ROOT, "examples", "custom_search")

# Its loss is its trial's number, so the first trial is the best. `slow` leaves time for a pause to come.
PROGRAM = """
import os, sys, time, dovetail
run = dovetail.init()
print("attempt", os.environ["DT_ATTEMPT"], "begins after step", run.start_step, flush=True)
steps = int(sys.argv[2])
for step in range(run.start_step + 1, steps + 1):
    if sys.argv[1] == "slow":
        time.sleep(0.1)
    if run.should_preempt() or step % 4 == 0:
        with run.checkpoint(step):
            pass
    run.report_validation(step, loss=run.trial_id, batches=step)
    if run.should_preempt() and step < steps:
        run.exit_preempted()
    if run.should_stop():
        break
"""

HALVING = """
name: promotion
entrypoint: [python3, train.py, {speed}, "8"]
hyperparameters: {{x: {{type: double, minval: 0, maxval: 1}}}}
searcher: {{name: async_halving, metric: loss, time_metric: batches, num_rungs: 2, divisor: 2, max_time: 8,
           max_trials: 4, max_concurrent_trials: 2, promote: true}}
max_restarts: 0
"""

PBT = """
name: population
entrypoint: [python3, train.py, slow, "24"]
hyperparameters: {x: {type: double, minval: 0, maxval: 1}}
searcher: {name: pbt, metric: loss, time_metric: batches, population_size: 2, interval: 8, max_time: 24,
           truncate_fraction: 0.5}
max_restarts: 0
"""


class SearchTest(ClusterTest):
    def submit(self, config, *options):
        folder = os.path.join(self.cluster.dir, "context")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "train.py"), "w") as file:
            file.write(PROGRAM)
        return self.cluster.follow("experiment", "create", self.cluster.config(config), folder, *options)

    def begins(self, trial):
        """Of each attempt, the step after which it began."""
        return [int(step) for step in re.findall(r"begins after step (\d+)", self.cluster.log_text(trial))]


class Promotion(SearchTest):
    def test_a_promoted_trial_goes_on_from_its_checkpoint_and_costs_no_restart(self):
        follow = self.submit(HALVING.format(speed="slow"))
        self.assertEqual(follow.end(), 0, "\n".join(follow.lines))
        trials = self.cluster.trials(follow.experiment)
        self.assertEqual([trial["state"] for trial in trials], ["COMPLETED"] * 4)
        begins = {trial["id"]: self.begins(trial["id"]) for trial in trials}
        resumed = [steps for steps in begins.values() if len(steps) > 1]
        self.assertTrue(resumed, begins)
        for steps in resumed:
            self.assertGreaterEqual(steps[1], 4, begins)  # it had trained on after its rung
        best = begins[min(begins)]
        last = self.cluster.sql("select max(step) from metric_points where trial_id = {}".format(min(begins)))
        self.assertEqual(last, [["8"]], best)

    def test_values_told_before_the_pause_are_judged_and_nothing_is_started_again(self):
        follow = self.submit(HALVING.format(speed="quick"))
        self.assertEqual(follow.end(), 0, "\n".join(follow.lines))
        trials = self.cluster.trials(follow.experiment)
        self.assertEqual([self.begins(trial["id"]) for trial in trials], [[0]] * 4)
        judged = self.cluster.json("experiment", "describe", follow.experiment)
        self.assertEqual([trial["state"] for trial in judged["trials"]], ["COMPLETED"] * 4)


class Population(SearchTest):
    def test_a_copy_begins_with_its_parents_checkpoint(self):
        follow = self.submit(PBT)
        self.assertEqual(follow.end(), 0, "\n".join(follow.lines))
        trials = self.cluster.trials(follow.experiment)
        begins = {trial["id"]: self.begins(trial["id"]) for trial in trials}
        copies = [steps[0] for trial, steps in begins.items() if trial > 2]
        self.assertTrue(any(step >= 4 for step in copies), begins)


class Custom(ClusterTest):
    def test_a_program_drives_a_search_to_its_end(self):
        follow = self.cluster.follow("experiment", "create", os.path.join(EXAMPLE, "search.yaml"), EXAMPLE)
        http = self.cluster.json("local", "status")["http"]
        token = re.search(r"DT_TOKEN=(\S+)", self.cluster.run("local", "env")).group(1)
        environment = dict(os.environ, DT_TOKEN=token)
        done = subprocess.run(
            ["python3", os.path.join(EXAMPLE, "search.py"), http, str(follow.experiment)], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(follow.end(), 0, "\n".join(follow.lines))
        trials = self.cluster.trials(follow.experiment)
        self.assertEqual([trial["state"] for trial in trials], ["COMPLETED"] * 5)
        self.assertRegex(self.cluster.log_text(trials[-1]["id"]), "goes on after step (10|20)")
        self.assertIn("of trial 4", done.stdout)

    def test_a_person_drives_a_search_by_hand(self):
        follow = self.cluster.follow("experiment", "create", os.path.join(EXAMPLE, "search.yaml"), EXAMPLE)
        search = lambda *words, **options: self.cluster.run("search", words[0], follow.experiment, *words[1:], **options)
        self.assertIn("is not in the space", search("propose", '{"nothing": 1}', code=1))
        self.assertIn("has no trial 0", search("stop", 0, code=1))
        search("finish")
        self.assertEqual(follow.end(), 0, "\n".join(follow.lines))
        events = self.cluster.json("search", "events", follow.experiment)
        self.assertEqual([event["event"] for event in events], ["start", "proposed"])
        self.assertEqual(self.cluster.json("search", "events", follow.experiment, "--after", 2), [])


if __name__ == "__main__":
    unittest.main()
