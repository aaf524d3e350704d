"""Where a trial came from, running it once more, forks, the queue, and an agent with a token of its
own: what people ask `dtctl` about their runs, with real processes."""

import json
import os
import platform
import subprocess
import time
import unittest

from cluster import BIN, PATIENCE_S, ClusterTest


def git(folder, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@example"]
    return subprocess.run(["git", "-C", folder, *who, *arguments], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


class Provenance(ClusterTest):
    RANDOM = ["--set", "searcher={name: random, max_trials: 1, metric: validation_accuracy, "
                       "smaller_is_better: false}",
              "--set", "hyperparameters.lr={type: log, base: 10, minval: -4, maxval: -2}",
              "--set", "hyperparameters.steps=60"]

    def repository(self):
        folder = os.path.join(self.cluster.dir, "code")
        os.mkdir(folder)
        git(folder, "init", "-q", "-b", "trunk")
        self.write(folder, "lr = 1\n")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "first")
        self.write(folder, "lr = 2\n")
        return folder

    def write(self, folder, text):
        with open(os.path.join(folder, "notes"), "w") as file:
            file.write(text)

    def facts(self, trial):
        listed = self.cluster.json("trial", "provenance", trial)["facts"]
        return {(fact["group"].split()[0], fact["name"]): fact["value"] for fact in listed}

    def test_a_trial_is_reproduced_to_the_same_parameters(self):
        folder = self.repository()
        follow = self.cluster.follow("experiment", "create", self.cluster.example("single.yaml"),
                                     folder, *self.RANDOM)
        self.assertEqual(follow.end(), 0, follow.lines)
        trial = self.cluster.trials(follow.experiment)[0]
        again = self.cluster.follow("trial", "reproduce", trial["id"], "--submit")
        self.assertEqual(again.end(), 0, again.lines)
        repeat = self.cluster.trials(again.experiment)[0]
        self.assertEqual((repeat["seed"], repeat["hparams"]), (trial["seed"], trial["hparams"]))
        self.assertEqual(self.cluster.final(repeat["id"]), self.cluster.final(trial["id"]))
        described = self.cluster.json("experiment", "describe", again.experiment)
        self.assertEqual(described["forked_from"], follow.experiment)

        facts = self.facts(trial["id"])
        self.assertEqual(facts["source", "commit"], git(folder, "rev-parse", "HEAD").strip())
        self.assertEqual(facts["source", "branch"], "trunk")
        self.assertEqual(facts["source", "diff"], git(folder, "diff", "HEAD"))
        self.assertEqual(facts["source", "context"], described["context_hash"])
        self.assertIn("experiment create", facts["submit", "command"])
        self.assertEqual(facts["node", "host"], platform.node())
        self.assertRegex(facts["software", "libtorch"], r"^2\.")
        repeated = self.facts(repeat["id"])
        self.assertEqual(repeated["source", "commit"], facts["source", "commit"])
        self.assertIn("trial reproduce", repeated["submit", "command"])

        self.assertEqual(self.cluster.run("trial", "provenance", trial["id"], "--diff"),
                         git(folder, "diff", "HEAD"))
        needed = self.cluster.json("trial", "reproduce", trial["id"])
        self.assertEqual(needed["config"]["reproducibility"]["trial_seed"], trial["seed"])
        self.assertEqual(needed["config"]["searcher"]["name"], "single")
        self.assertIn("commit " + facts["source", "commit"][:12],
                      self.cluster.run("trial", "describe", trial["id"]))

    def test_a_python_trial_tells_its_packages(self):
        follow = self.cluster.follow("run", "--no-context", "--", "python3", "-c",
                                     "import dovetail; dovetail.init().report(1, loss=1)")
        self.assertEqual(follow.end(), 0, follow.lines)
        facts = self.facts(self.cluster.trials(follow.experiment)[0]["id"])
        self.assertRegex(facts["software", "python"], r"^CPython 3\.")


class Forks(ClusterTest):
    def test_a_fork_has_the_configuration_and_the_code_of_its_parent(self):
        folder = os.path.join(self.cluster.dir, "code")
        os.mkdir(folder)
        with open(os.path.join(folder, "word"), "w") as file:
            file.write("heron")
        config = self.cluster.config("name: parent\nentrypoint: cat word\nmax_restarts: 0\n"
                                     "searcher: {name: single, metric: loss}\n")
        parent = self.cluster.follow("experiment", "create", config, folder, "--set", "max_restarts=1")
        self.assertEqual(parent.end(), 0, parent.lines)
        fork = self.cluster.follow("experiment", "fork", parent.experiment, "--set", "name=child")
        self.assertEqual(fork.end(), 0, fork.lines)
        child = self.cluster.json("experiment", "describe", fork.experiment)
        self.assertEqual((child["name"], child["forked_from"], child["config"]["max_restarts"]),
                         ("child", parent.experiment, 1))
        self.assertIn("heron", self.cluster.log_text(child["trials"][0]["id"]))


class Queue(ClusterTest):
    def test_a_job_says_its_place_and_why_it_waits(self):
        running = self.cluster.follow("run", "--no-context", "--slots", "2", "--", "sh", "-c",
                                      "echo started; sleep 1000")
        trial = self.cluster.trials(running.experiment)[0]["id"]
        log = subprocess.Popen([os.path.join(BIN, "dtctl"), "trial", "logs", "--follow", str(trial)],
                               env=self.cluster.environment, stdout=subprocess.PIPE, text=True)
        self.assertIn("started", log.stdout.readline())
        self.cluster.run("run", "--no-context", "--slots", "2", "--name", "next", "--detach", "--", "true")
        jobs = self.cluster.json("job", "list")
        self.assertEqual([(job["state"], job["position"]) for job in jobs],
                         [("running", None), ("queued", 1)])
        said = self.cluster.run("job", "explain", jobs[1]["id"])
        self.assertIn("needs 2 slots; 0 of 2 are free", said)
        self.cluster.run("experiment", "kill", running.experiment)
        log.communicate()
        self.cluster.run("experiment", "wait", jobs[1]["id"])
        self.assertIn("the queue is empty", self.cluster.run("job", "list"))

    def test_a_search_is_previewed_and_its_rungs_are_told(self):
        asha = self.cluster.example("asha.yaml")
        preview = self.cluster.json("preview-search", asha, "--set", "searcher.max_trials=20")
        self.assertEqual((preview["trials"], preview["rungs"][0]["units"]), (20, 100))
        said = self.cluster.run("preview-search", asha, "--set", "searcher.max_trials=-1", code=1)
        self.assertRegex(said, r"yaml:\d+: searcher.max_trials")


class AgentTokens(ClusterTest):
    def test_an_agent_joins_with_a_token_of_its_own(self):
        made = json.loads(self.cluster.run("agent", "token", "create", "node-7", "--json"))
        self.assertEqual(made["name"], "node-7")
        token = os.path.join(self.cluster.dir, "node-7.token")
        with open(os.open(token, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(made["token"])
        master = self.cluster.json("local", "status")["grpc"]
        agent = subprocess.Popen([os.path.join(BIN, "dt-agent"), "--master", master, "--dir",
                                  os.path.join(self.cluster.dir, "extra"), "--token-file", token,
                                  "--name", "node-7", "--slots", "2"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + PATIENCE_S
            while "node-7" not in [one["name"] for one in self.cluster.json("agent", "list")]:
                self.assertIsNone(agent.poll())
                self.assertLess(time.monotonic(), deadline)
            # It needs the slots of both agents.
            gang = self.cluster.follow("run", "--no-context", "--slots", "4", "--", "true")
            self.assertEqual(gang.end(), 0, (gang.lines, self.cluster.logs()))
        finally:
            agent.terminate()
            agent.wait(60)
        trial = self.cluster.trials(gang.experiment)[0]["id"]
        nodes = self.cluster.json("trial", "describe", trial)["attempt_list"][-1]["nodes"]
        self.assertIn("node-7", [node["agent_name"] for node in nodes])


if __name__ == "__main__":
    unittest.main()
