"""What people get wrong, through the real dtctl and master: the message names the thing, the value and
the way out, and nothing is created."""

import os
import unittest

from cluster import Cluster

GOOD = """
name: good
entrypoint: [sh, -c, 'exit 0']
searcher: {name: single, metric: loss}
"""

PYTHON = """
name: python
entrypoint: [python3, train.py]
max_restarts: 0
searcher: {name: random, max_trials: 2, metric: loss}
hyperparameters: {x: {type: int, minval: 1, maxval: 9}}
"""


class BadInput(unittest.TestCase):
    """On one cluster: what is refused leaves nothing behind."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)
        cls.cluster.up(agents=1, slots=2)

    def refused(self, text, *arguments):
        """What dtctl says to this configuration; nothing may have been created."""
        before = self.cluster.json("experiment", "list")
        said = self.cluster.run("experiment", "create", self.cluster.config(text), *arguments, code=1)
        self.assertEqual(self.cluster.json("experiment", "list"), before)
        return said

    def test_configurations(self):
        cases = [
            ("an unknown key names its line and the nearest key",
             GOOD.replace("entrypoint:", "entrypiont:"),
             [":3:", "entrypiont", "entrypoint"]),
            ("a wrong type names the path, the value and what is expected",
             GOOD + "max_restarts: many\n", [":5:", "max_restarts", "many", "integer"]),
            ("a search needs its metric",
             GOOD.replace(", metric: loss", ""), ["searcher.metric"]),
            ("a grid needs the count of a range",
             GOOD.replace("single", "grid") +
             "hyperparameters: {lr: {type: double, minval: 0, maxval: 1}}\n",
             [":5:", "hyperparameters.lr", "count"]),
            ("more slots than any pool has",
             GOOD + "resources: {slots_per_trial: 64}\n", ["64", "slots", "default"]),
            ("the entrypoint is missing",
             GOOD.replace("entrypoint: [sh, -c, 'exit 0']\n", ""), ["entrypoint"]),
            ("broken YAML names its line", "name: [\n", [":2:"]),
        ]
        for what, text, words in cases:
            with self.subTest(what):
                said = self.refused(text)
                for word in words:
                    self.assertIn(word, said)

    def test_contexts(self):
        folder = os.path.join(self.cluster.dir, "context")
        os.mkdir(folder)
        os.symlink("/etc/passwd", os.path.join(folder, "secrets"))
        said = self.refused(GOOD, folder)
        self.assertIn("secrets is a link out, to /etc/passwd", said)
        self.assertIn(".dtignore", said)

        os.remove(os.path.join(folder, "secrets"))
        with open(os.path.join(folder, "big.bin"), "wb") as file:
            file.truncate(97 * 1024 * 1024)
        said = self.refused(GOOD, folder)
        self.assertIn("more than 96 MiB", said)
        self.assertIn(".dtignore", said)

        self.assertIn("is no folder", self.refused(GOOD, os.path.join(folder, "missing")))

    def test_command_lines(self):
        cases = [
            (["experimnt"], 'dtctl has no command "experimnt"; did you mean experiment?'),
            (["experiment", "lst"], 'dtctl experiment has no command "lst"; did you mean list?'),
            (["experiment"], "dtctl experiment needs a command"),
            (["experiment", "list", "--limt", "3"],
             'dtctl experiment list has no option "--limt"; did you mean --limit?'),
            (["experiment", "list", "--limit", "-1"],
             "--limit: must be a whole number from 1 on, got -1"),
            (["experiment", "describe", "1", "2"], 'dtctl experiment describe takes no "2"'),
            (["experiment", "describe", "abc"], "ID = abc"),
        ]
        for arguments, words in cases:
            with self.subTest(" ".join(arguments)):
                said = self.cluster.run(*arguments, code=2)
                self.assertIn(words, said)
                self.assertIn(" --help", said)

    def test_what_runs_is_not_asked_for_other_options(self):
        said = self.cluster.run("local", "up", "--slots", "7", code=1)
        self.assertIn("agent-1 runs already, with --slots 2", said)
        self.assertIn("dtctl local down", said)

    def test_a_prepare_that_fails_ends_the_trial_with_its_reason(self):
        config = self.cluster.config(GOOD + "prepare: echo no compiler here >&2; exit 3\n")
        follow = self.cluster.follow("experiment", "create", config, self.context())
        self.assertEqual(follow.end(), 1, follow.lines)
        trial = self.cluster.trials(follow.experiment)[0]
        self.assertEqual((trial["state"], trial["attempts"], trial["restarts"]), ("ERROR", 1, 0))
        self.assertIn("prepare", trial["message"])
        self.assertIn("3", trial["message"])
        self.assertIn("no compiler here", self.cluster.log_text(trial["id"]))

    def test_a_metric_that_never_comes_is_named_with_those_that_came(self):
        code = self.search_with("run.report_validation(1, accuracy=0.5)", code=1)
        trial = self.cluster.trials(code)[0]
        self.assertEqual(trial["state"], "ERROR")
        for word in ('"loss" was never reported', "accuracy"):
            self.assertIn(word, trial["message"])

    def test_a_metric_that_is_text_is_refused_where_it_is_reported(self):
        experiment = self.search_with("run.report_validation(1, loss='low')", code=1)
        trial = self.cluster.trials(experiment)[0]
        self.assertIn("metric \"loss\" is 'low': report a number", self.cluster.log_text(trial["id"]))

    def test_a_loss_that_is_not_a_number_is_kept_and_is_the_worst(self):
        experiment = self.search_with(
            "run.report_validation(1, loss=float('nan') if run.hparams['x'] and run.seed % 1 == 0 "
            "and run.trial_id % 2 else 0.5)", code=0)
        kept = self.cluster.sql("select count(*) from metric_points p join trials t on t.id = p.trial_id "
                                "where t.experiment_id = {} and value = 'NaN'".format(experiment))
        self.assertEqual(kept, [["1"]])
        described = self.cluster.json("experiment", "describe", experiment)
        self.assertEqual(described["best_metric"], 0.5)

    def test_a_wrong_token_says_how_to_get_a_right_one(self):
        path = os.path.join(self.cluster.dir, "wrong")
        with open(path, "w") as file:
            file.write("0" * 64 + "\n")
        said = self.cluster.run("--token-file", path, "experiment", "list", code=1)
        self.assertIn("token is not known", said)
        self.assertIn("dtctl login", said)

    # --- helpers

    def context(self, code=None):
        folder = os.path.join(self.cluster.dir, "ctx")
        os.makedirs(folder, exist_ok=True)
        if code:
            with open(os.path.join(folder, "train.py"), "w") as file:
                file.write("import dovetail\nrun = dovetail.init()\n" + code + "\n")
        return folder

    def search_with(self, code_text, code):
        follow = self.cluster.follow("experiment", "create", self.cluster.config(PYTHON),
                                     self.context(code_text))
        self.assertEqual(follow.end(), code, follow.lines)
        return follow.experiment


if __name__ == "__main__":
    unittest.main()
