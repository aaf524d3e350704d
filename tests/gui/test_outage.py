"""The master is killed and comes back while somebody looks at a trial whose charts are live.

The window says so, keeps what it has and comes back by itself; and then every curve has each point that
PostgreSQL has, once. The trial reports when the test says so, through a pipe, so there are points from
before, from while the master was away, and from after, however slow the machine is.
"""

import json
import os
import re
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
sys.path.insert(0, os.path.dirname(__file__))

import cluster
import person

REPORTS = """
import math, sys
import dovetail
run = dovetail.init()
step = 0
with open({pipe!r}) as pipe:
    for line in pipe:
        for step in range(step + 1, step + 1 + int(line)):
            run.report(step, loss=1 / step + math.sin(step))
            if step % 10 == 0:
                run.report_validation(step, error=1 / step)
                print("reached step", step, flush=True)
"""
BURST = 120  # points


class Outage(unittest.TestCase):
    def setUp(self):
        self.cluster = cluster.Cluster()
        self.addCleanup(self.cluster.close)
        self.cluster.up(agents=1, slots=1)
        self.person = person.Person(self.cluster.environment, knows_master=True)
        self.addCleanup(self.person.close)
        self.person.open()

    def test_no_gap_and_no_double_point_after_the_master_was_killed(self):
        trial, pipe = self.start_trial()
        self.look_at(trial)
        self.report(pipe, BURST)
        self.until_points(BURST)
        for round_ in (1, 2):
            self.kill_master_while_it_reports(pipe, round_)
        pipe.close()  # the trial ends
        self.assert_charts_are_what_the_store_has(trial, 5 * BURST)
        self.assert_log_is_what_the_store_has(trial)

    # --- the steps

    def start_trial(self):
        """Its number, and the pipe by which it is told how many points to report next."""
        path = os.path.join(self.cluster.dir, "pipe")
        os.mkfifo(path)
        os.chmod(path, 0o666)  # the rank is another user
        config = self.cluster.config(
            "name: outage\nmax_restarts: 0\nsearcher: {{name: single, metric: error}}\nentrypoint: [python3, -c, {}]\n".format(
                json.dumps(REPORTS.format(pipe=path))))
        told = self.cluster.run("experiment", "create", config)
        experiment = re.search(r"created experiment (\d+)", told).group(1)
        pipe = os.fdopen(os.open(path, os.O_RDWR), "w", encoding="ascii")  # waits for no reader
        return self.cluster.trials(experiment)[0]["id"], pipe

    def report(self, pipe, points):
        pipe.write("{}\n".format(points))
        pipe.flush()

    def look_at(self, trial):
        self.person.click_row("experiments", "outage", repeat=2)
        self.person.click_row("trials_table", str(trial), repeat=2)
        self.person.until_sees("Trial {}".format(trial))

    def kill_master_while_it_reports(self, pipe, round_):
        before = self.curve("loss")
        self.cluster.kill("master")
        self.person.until_sees("Trying again every few seconds.")
        self.person.until_sees("What you see is from")
        self.person.until_sees("offline")
        self.assertEqual(self.curve("loss"), before, "it keeps what it has")
        self.report(pipe, BURST)  # while the master is away
        self.cluster.up_again()
        self.person.until_sees("connected")
        self.person.until(lambda: not self.person.sees("Trying again"), "the banner gone")
        self.until_points(2 * round_ * BURST)
        self.report(pipe, BURST)  # live as before
        self.until_points((2 * round_ + 1) * BURST)

    # --- what is seen

    def curve(self, name):
        """Points of the chart's only curve: step, value, how many raw ones it stands for."""
        curves = self.person.ask("points", name)
        return curves[0]["points"] if curves else []

    def until_points(self, count):
        def arrived():
            return sum(point[2] for point in self.curve("loss")) >= count
        self.person.until(arrived, "{} points of the loss".format(count))

    def assert_charts_are_what_the_store_has(self, trial, count):
        self.person.until(lambda: self.person.sees("completed"), "the trial's end")
        for name, group, points in (("loss", "training", count), ("error", "validation", count // 10)):
            self.person.until(lambda: len(self.curve(name)) >= points, "all points of " + name)
            stored = self.cluster.sql(
                "select step, value from metric_points where trial_id = {} and metric_group = '{}' and "
                "name = '{}' order by step".format(trial, group, name))
            self.assertEqual([int(step) for step, _ in stored], [point[0] for point in self.curve(name)])
            self.assertEqual([[float(step), float(value), 1.0] for step, value in stored], self.curve(name))
            self.assertEqual(len(stored), points)

    def assert_log_is_what_the_store_has(self, trial):
        lines = self.cluster.log_text(trial).splitlines()
        said = [line for line in lines if "reached step" in line]
        self.assertEqual(len(said), 5 * BURST // 10)
        self.person.click_tab("Log")
        self.person.until_sees("{} lines".format(len(lines)))
        self.person.click("log_filter")
        self.person.write("reached step")
        self.person.until_sees("{} of {} lines".format(len(said), len(lines)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
