"""Searchers of others behind dt-search's protocol, for bench_search: JSON lines on stdin and stdout.

    search_peers.py --prepare FOLDER   makes FOLDER a virtual environment with the packages below
    search_peers.py --peer NAME        is that peer

A line is a request or a list of them, and is answered likewise. {"op":"begin","seed":1,"axes":8,
"steps":50,"divisor":3,"max_trials":1000} starts a search, and another one after it. Points are maps
of axes x0, x1, … in [0, 1]. The peers:
  optuna_sha              Optuna's SuccessiveHalvingPruner, a stopping rule
  optuna_hyperband        Optuna's HyperbandPruner, another
  optuna_tpe_hyperband    the same with Optuna's TPE (multivariate, constant liar)
  optuna_tpe_sha, optuna_tpe_none
  ray_asha                Ray Tune's AsyncHyperBandScheduler with its own brackets, grace period 1
"""

import argparse
import json
import logging
import os
import subprocess
import sys
import types
import venv

PACKAGES = ["optuna==5.0.0", "ray[tune]==2.60.0"]


class Optuna:
    """optuna's ask, report and should_prune."""

    def __init__(self, sampler, pruner, request):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        samplers = {
            "random": lambda: optuna.samplers.RandomSampler(seed=request["seed"]),
            "tpe": lambda: optuna.samplers.TPESampler(
                seed=request["seed"], multivariate=True, constant_liar=True),
        }
        pruners = {
            "none": optuna.pruners.NopPruner,
            "sha": lambda: optuna.pruners.SuccessiveHalvingPruner(
                min_resource=1, reduction_factor=request["divisor"]),
            "hyperband": lambda: optuna.pruners.HyperbandPruner(
                min_resource=1, max_resource=request["steps"],
                reduction_factor=request["divisor"]),
        }
        self.states = optuna.trial.TrialState
        # The name decides the brackets of HyperbandPruner.
        self.study = optuna.create_study(study_name="seed {seed}".format(**request),
                                         sampler=samplers[sampler](), pruner=pruners[pruner]())
        self.axes = {f"x{i}": optuna.distributions.FloatDistribution(0, 1)
                     for i in range(request["axes"])}
        self.trials, self.last = [], {}

    def ask(self):
        trial = self.study.ask(self.axes)
        self.trials.append(trial)
        return dict(trial.params)

    def report(self, number, step, value):
        trial = self.trials[number]
        trial.report(value, step)
        self.last[number] = value
        if not trial.should_prune():
            return "continue"
        self.study.tell(trial, state=self.states.PRUNED)
        return "stop"

    def exit(self, number, reason):
        trial = self.trials[number]
        if reason == "completed" and self.last[number] == self.last[number]:
            self.study.tell(trial, self.last[number])
        else:
            self.study.tell(trial, state=self.states.FAIL)


class Ray:
    """Ray's scheduler without its cluster: it sees trials and results, and says who goes on."""

    def __init__(self, request):
        import numpy
        from ray.tune.schedulers import AsyncHyperBandScheduler

        numpy.random.seed(request["seed"])
        self.axes = request["axes"]
        self.random = numpy.random.RandomState(request["seed"])
        self.trials = []
        self.scheduler = AsyncHyperBandScheduler(
            time_attr="step", metric="loss", mode="min", grace_period=1,
            max_t=request["steps"], reduction_factor=request["divisor"])

    def ask(self):
        self.trials.append(types.SimpleNamespace(trial_id=str(len(self.trials))))
        self.scheduler.on_trial_add(None, self.trials[-1])
        return {f"x{i}": self.random.random_sample() for i in range(self.axes)}

    def result(self, step, value):
        return {"step": step, "loss": value}

    def report(self, number, step, value):
        self.last = self.result(step, value)
        decision = self.scheduler.on_trial_result(None, self.trials[number], self.last)
        return "stop" if decision == "STOP" else "continue"

    def exit(self, number, reason):
        self.scheduler.on_trial_remove(None, self.trials[number])


def peer_of(name, request):
    if name == "ray_asha":
        return Ray(request)
    words = name.split("_")
    return Optuna(words[1] if len(words) > 2 else "random", words[-1], request)


def number_of(value):
    return float(value.replace("Infinity", "inf")) if isinstance(value, str) else value


class Session:
    def __init__(self, name):
        self.name, self.peer, self.made, self.most = name, None, 0, 0

    def answer(self, request):
        if isinstance(request, list):
            return [self.answer(one) for one in request]
        op = request["op"]
        if op == "begin":
            self.peer, self.made, self.most = peer_of(self.name, request), 0, request["max_trials"]
            return {"ok": True}
        if op == "ask" and self.made == self.most:
            return {"done": True}
        if op == "ask":
            self.made += 1
            return {"trial": self.made - 1, "hparams": self.peer.ask()}
        if op == "report":
            return {"decision": self.peer.report(request["trial"], request["step"],
                                                 number_of(request["value"]))}
        self.peer.exit(request["trial"], request["reason"])
        return {"ok": True}


def prepare(folder):
    """Prints the environment's Python as the last line. What is there already stays."""
    python = os.path.join(folder, "bin", "python3")
    done = os.path.join(folder, " ".join(PACKAGES).replace("/", "_"))
    if not os.path.exists(done):
        print("installing", *PACKAGES, "into", folder, file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True,
                       stdout=sys.stderr)
        open(done, "w").close()
    print(python)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prepare", metavar="FOLDER")
    parser.add_argument("--peer")
    arguments = parser.parse_args()
    if arguments.prepare:
        return prepare(arguments.prepare)
    logging.disable(logging.WARNING)
    session = Session(arguments.peer)
    for line in sys.stdin:
        print(json.dumps(session.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
