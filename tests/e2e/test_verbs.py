"""What people do with experiments and nodes from the command line: many at once, set, continue, archive,
delete, drain and disable."""

import os
import unittest

from cluster import ClusterTest

STEPS = ["--set", "hyperparameters.steps=200", "--set", "min_checkpoint_period={batches: 100}"]


class Verbs(ClusterTest):
    AGENTS, SLOTS = 1, 2

    def blobs(self):
        folder = os.path.join(self.cluster.data, "master", "checkpoints")
        return [name for _, _, names in os.walk(folder) for name in names]

    def finished(self, *options):
        follow = self.cluster.follow("experiment", "create", self.cluster.example("single.yaml"), *STEPS, *options)
        self.assertEqual(follow.end(), 0, follow.lines)
        return follow.experiment

    def test_an_ended_trial_goes_on_to_more_steps_and_is_then_deleted(self):
        experiment = self.finished()
        trial = self.cluster.trials(experiment)[0]["id"]
        self.assertIn("is COMPLETED; cannot pause it", self.cluster.run("experiment", "pause", experiment, code=1))

        passes = lambda text: [t["id"] for t in self.cluster.json("trial", "list", experiment, "--filter", text)]
        self.assertEqual(passes("state = completed and hparams.steps > 0"), [trial])
        self.assertEqual(passes("state = error or best_metric is empty and number > 0"), [])
        self.assertIn("filter: at 9, expected", self.cluster.run("trial", "list", experiment, "--filter", "state = )",
                                                                 code=1))

        self.cluster.run("experiment", "continue", experiment, "--set", "hyperparameters.steps=400")
        self.cluster.run("experiment", "wait", experiment)
        self.assertEqual([t["id"] for t in self.cluster.trials(experiment)], [trial])
        attempts = self.cluster.json("trial", "describe", trial)["attempt_list"]
        self.assertEqual(len(attempts), 2)
        self.assertIsNotNone(attempts[1]["resumed_from"])
        steps = self.cluster.sql(
            "select count(*), count(distinct step), max(step) from metric_points where trial_id = {} and rank = 0 "
            "and metric_group = 'training' and name = 'loss'".format(trial))
        self.assertEqual(steps, [["400", "400", "400"]])

        self.cluster.run("experiment", "set", experiment, "--name", "kept", "--label", "good", "--notes", "see step 9")
        shown = self.cluster.json("experiment", "describe", experiment)
        self.assertEqual((shown["name"], shown["notes"]), ("kept", "see step 9"))
        self.assertIn("good", shown["labels"])
        self.cluster.run("experiment", "archive", experiment)
        self.assertEqual(self.cluster.json("experiment", "list"), [])
        self.assertEqual([e["id"] for e in self.cluster.json("experiment", "list", "--all")], [experiment])

        twin = self.finished()  # the same seed: its checkpoints are the same files
        self.assertIn("give --yes", self.cluster.run("experiment", "delete", experiment, code=1))
        before = len(self.blobs())
        self.cluster.run("experiment", "delete", experiment, "--yes")
        self.cluster.wait_gone(experiment)
        self.assertEqual(self.cluster.sql("select count(*) from metric_points_raw where trial_id = {}".format(trial)),
                         [["0"]])
        self.assertLess(len(self.blobs()), before)
        self.cluster.run("experiment", "continue", twin, "--set", "hyperparameters.steps=250")
        self.assertEqual(self.cluster.run("experiment", "wait", twin).count("COMPLETED"), 1,
                         "the twin still has its checkpoint")

    def test_many_at_once_and_nodes_out_of_service(self):
        agent = self.cluster.json("agent", "list")[0]
        config = self.cluster.example("single.yaml")
        self.cluster.run("agent", "drain", agent["name"])
        ids = [self.cluster.json("experiment", "create", config, *STEPS)["id"] for _ in range(3)]
        reason = self.cluster.json("job", "explain", ids[0])["reason"]
        self.assertIn("drained, disabled or away", reason)
        said = self.cluster.run("experiment", "kill", "{}-{}".format(ids[1], ids[2]), 999, code=1)
        for line in ("experiment {} is CANCELED".format(ids[1]), "experiment {} is CANCELED".format(ids[2]),
                     "experiment 999 does not exist"):
            self.assertIn(line, said)
        self.cluster.run("agent", "enable", agent["name"])
        self.cluster.run("experiment", "wait", ids[0])

        slots = [slot["id"] for slot in agent["slots"]]
        self.cluster.run("slot", "disable", agent["name"], slots[0])
        self.assertIn("1 slot off", self.cluster.run("agent", "list"))
        last = self.cluster.json("experiment", "create", config, *STEPS)["id"]
        self.assertIn("1 slot disabled", self.cluster.json("job", "explain", last)["reason"])
        self.cluster.run("slot", "enable", agent["name"], slots[0])
        self.cluster.run("experiment", "wait", last)


class LogPolicies(ClusterTest):
    AGENTS, SLOTS = 2, 1

    def script(self, *policies):
        return self.cluster.config(
            "name: broken\nentrypoint: 'echo the disk is on fire; exit 3'\nmax_restarts: 2\n"
            "searcher: {{name: single, metric: loss}}\nlog_policies: [{}]\n".format(", ".join(policies)))

    def ended(self, config):
        experiment = self.cluster.json("experiment", "create", config)["id"]
        self.cluster.run("experiment", "wait", experiment, code=1)
        return self.cluster.trials(experiment)[0]

    def test_a_line_ends_the_retries_or_sends_the_trial_to_another_node(self):
        trial = self.ended(self.script())
        self.assertEqual(trial["attempts"], 3, "max_restarts")

        trial = self.ended(self.script("{name: fire, pattern: 'on f[i]re', action: cancel_retries}"))
        self.assertEqual(trial["attempts"], 1)
        self.assertIn("the log policy \"fire\" (cancel_retries)", trial["message"])

        trial = self.ended(self.script("{name: fire, pattern: 'on f[i]re', action: exclude_node}"))
        attempts = self.cluster.json("trial", "describe", trial["id"])["attempt_list"]
        self.assertEqual({a["nodes"][0]["agent_name"] for a in attempts}, {"agent-1", "agent-2"})
        self.assertEqual(len(attempts), 2)
        self.assertIn("no node is left", trial["message"])


if __name__ == "__main__":
    unittest.main()
