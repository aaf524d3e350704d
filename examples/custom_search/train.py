"""A stand-in for a training: its loss falls with the steps and is best at lr = 0.01."""

import json
import math
import os
import time

import dovetail

STEPS = 20

run = dovetail.init()
progress = 0.0  # what a model would have learnt
if run.latest_checkpoint:
    with open(os.path.join(run.latest_checkpoint, "model.json")) as file:
        progress = json.load(file)["progress"]
    print("goes on after step {} with progress {:.3f}".format(run.start_step, progress))
rate = 1.0 / (1.0 + abs(math.log10(run.hparams["lr"]) + 2))
for step in range(run.start_step + 1, run.start_step + STEPS + 1):
    time.sleep(0.05)  # the work of a step
    progress += rate
    run.report(step, loss=1.0 / progress)
    if step % 10 == 0:
        with run.checkpoint(step) as folder:
            with open(os.path.join(folder, "model.json"), "w") as file:
                json.dump({"progress": progress}, file)
        run.report_validation(step, loss=1.0 / progress)
    if run.should_stop():
        break
