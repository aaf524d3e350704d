"""dt-search as other programs use it: JSON lines over pipes to the real program."""

import copy
import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.path.join(os.environ.get("DT_BIN", os.path.join(os.getcwd(), "bin")), "dt-search")

SPACE = """
hyperparameters:
  rate: {type: log, minval: -4, maxval: 0}
  width: {type: int, minval: 1, maxval: 64}
  kind: {type: categorical, vals: [a, b]}
"""
HALVING = """
searcher: {name: async_halving, metric: loss, num_rungs: 3, divisor: 3, max_time: 9,
           max_trials: 9, max_concurrent_trials: 2%s}
"""


class Search:
    """One run of the program."""

    def __init__(self, test, config, seed=0, *more):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.config = os.path.join(folder.name, "config.yaml")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(config + SPACE)
        self.process = subprocess.Popen(
            [PROGRAM, "--config", self.config, "--seed", str(seed), *more],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        test.addCleanup(self.close)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def do(self, op, **members):
        return self.say(json.dumps({"op": op, **members}))

    def report(self, trial, step, value):
        return self.do("report", trial=trial, step=step, value=value)["decision"]


def loss_of(hparams, step):
    return abs(hparams["width"] - 20) / 64 + hparams["rate"] + 1 / step


class Trainer:
    """Trains what is asked for, one step at a time, and keeps what it was told."""

    def __init__(self):
        self.running, self.steps, self.hparams, self.told = [], {}, {}, []

    def go(self, search, events=10**6):
        for _ in range(events):
            answer = search.do("ask")
            self.told.append(answer)
            if "done" in answer:
                break
            trial = answer.get("trial", answer.get("resume"))
            if trial is None:
                self.train(search)
            else:
                self.hparams.setdefault(trial, answer.get("hparams"))
                self.running.append(trial)
        return self.told

    def train(self, search):
        trial = self.running.pop(0)
        step = self.steps[trial] = self.steps.get(trial, 0) + 1
        self.told.append(search.report(trial, step, loss_of(self.hparams[trial], step)))
        if self.told[-1] == "continue":
            self.running.append(trial)


def train(search):
    return Trainer().go(search)


class Conversation(unittest.TestCase):
    def test_a_search_by_the_stop_rule(self):
        told = train(Search(self, HALVING % ""))
        self.assertEqual(sum("trial" in answer for answer in told), 9)
        self.assertEqual(told.count("stop"), 9)
        self.assertEqual(told[-1], {"done": True})

    def test_a_search_that_pauses_and_promotes(self):
        told = train(Search(self, HALVING % ", promote: true"))
        self.assertEqual(sum("trial" in answer for answer in told), 9)
        self.assertGreater(sum("resume" in answer for answer in told), 0)
        self.assertGreater(told.count("pause"), 0)
        self.assertEqual(told[-1], {"done": True})

    def test_every_method_comes_to_its_end(self):
        halving = "max_time: 9, max_trials: 12, max_concurrent_trials: 3"
        for searcher in (f"name: adaptive_asha, divisor: 3, {halving}",
                         f"name: adaptive_asha, promote: true, divisor: 3, {halving}",
                         f"name: hyperband, {halving}", f"name: hyperband, sampler: tpe, {halving}",
                         "name: pbt, population_size: 4, interval: 3, max_time: 9"):
            with self.subTest(searcher):
                told = train(Search(self, f"searcher: {{metric: loss, {searcher}}}"))
                self.assertEqual(told[-1], {"done": True})

    def test_trials_that_end_themselves(self):
        search = Search(self, "searcher: {name: tpe, metric: loss, max_trials: 30, "
                              "max_concurrent_trials: 1}")
        trials = 0
        while "done" not in (answer := search.do("ask")):
            self.assertEqual(answer["trial"], trials)
            trials += 1
            search.report(answer["trial"], 1, loss_of(answer["hparams"], 1))
            self.assertEqual(search.do("ask"), {"wait": True})
            self.assertEqual(search.do("exit", trial=answer["trial"], reason="completed"), {"ok": True})
        self.assertEqual(trials, 30)

    def test_a_seed_gives_the_same_search(self):
        runs = [train(Search(self, HALVING % "", seed)) for seed in (7, 7, 8)]
        self.assertEqual(runs[0], runs[1])
        self.assertNotEqual(runs[0], runs[2])

    def test_a_diverged_trial_is_the_worst(self):
        search = Search(self, HALVING % "")
        search.do("ask")
        self.assertEqual(search.report(0, 1, "NaN"), "stop")

    def test_a_custom_search_is_told(self):
        search = Search(self, "searcher: {name: custom, metric: loss}")
        self.assertEqual(search.do("ask"), {"wait": True})
        point = {"rate": 0.1, "width": 3, "kind": "a"}
        self.assertEqual(search.do("create", hparams=point), {"trial": 0})
        self.assertEqual(search.do("ask"), {"trial": 0, "hparams": point})
        self.assertIn("must be an integer from 1 to 64",
                      search.do("create", hparams={**point, "width": 99})["error"])
        search.do("pause", trial=0)
        self.assertEqual(search.report(0, 1, 0.5), "pause")
        search.do("resume", trial=0)
        self.assertEqual(search.do("ask"), {"resume": 0})
        search.do("finish")
        self.assertEqual(search.do("exit", trial=0, reason="completed"), {"ok": True})
        self.assertEqual(search.do("ask"), {"done": True})


class Snapshots(unittest.TestCase):
    def test_a_restored_search_goes_on_alike(self):
        for more in ("", ", promote: true", ", promote: true, sampler: tpe"):
            with self.subTest(more):
                search, trainer = Search(self, HALVING % more, 3), Trainer()
                trainer.go(search, events=20)
                with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                    json.dump(search.do("snapshot"), file)
                    file.flush()
                    other = Search(self, HALVING % more, 99, "--restore", file.name)
                    self.assertEqual(other.do("snapshot"), search.do("snapshot"))
                same = copy.deepcopy(trainer)
                self.assertEqual(trainer.go(search), same.go(other))
                self.assertEqual(search.do("snapshot"), other.do("snapshot"))


class BadInput(unittest.TestCase):
    def test_errors_are_answers_and_change_nothing(self):
        search = Search(self, HALVING % "")
        before = search.do("snapshot")
        for line, words in (
                ('{"op":"dance"}', 'unknown op "dance"'),
                ('[1]', "a request must be a map"),
                ('{"op":', "JSON"),
                ('{"op":"report","trial":9,"step":1,"value":1}', "no trial 9"),
                ('{"op":"report","trial":0,"step":1,"value":1}', "trial 0 was not asked for yet"),
                ('{"op":"exit","trial":"x","reason":"completed"}', 'no trial "x"'),
                ('{"op":"create","hparams":{}}', "hyperparameter kind is missing")):
            self.assertIn(words, search.say(line)["error"])
        self.assertEqual(search.do("snapshot"), before)
        search.do("ask")
        for line, words in (
                ('{"op":"report","trial":0,"step":1,"value":"low"}', "value must be a number"),
                ('{"op":"report","trial":0,"step":"x","value":1}', "step must be an integer"),
                ('{"op":"exit","trial":0,"reason":"bored"}', 'not "bored"')):
            self.assertIn(words, search.say(line)["error"])

    def test_a_finished_trial_cannot_report(self):
        search = Search(self, HALVING % "")
        search.do("ask")
        search.do("exit", trial=0, reason="errored")
        self.assertIn("has ended", search.do("report", trial=0, step=1, value=1)["error"])
        self.assertIn("has ended", search.do("exit", trial=0, reason="completed")["error"])

    def test_it_says_why_it_cannot_start(self):
        def fails(*arguments):
            run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 2)
            return run.stderr
        self.assertIn("--config FILE is missing", fails())
        self.assertIn("cannot read /nowhere", fails("--config", "/nowhere"))
        self.assertIn("--seed must be", fails("--config", "x", "--seed", "-1"))
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("searcher: {name: tpe, metric: loss}\n")
            file.flush()
            self.assertIn("searcher.max_trials: required but missing", fails("--config", file.name))

    def test_help_tells_the_protocol(self):
        run = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True)
        for word in ("--restore", '{"op":"ask"}', '{"wait":true}', "invalid_hp"):
            self.assertIn(word, run.stdout)


if __name__ == "__main__":
    unittest.main()
