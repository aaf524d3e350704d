"""Handwriting without a framework: softmax regression on Fashion-MNIST with the standard library.

By hand, from the project's root: `PYTHONPATH=python python3 examples/plain_python/train.py`. As a
trial, from this folder: `dtctl run -- python3 train.py`; then it resumes from its checkpoint and gives
its slot back when asked. Data: Debian's dataset-fashion-mnist, or a folder.
"""

import argparse
import gzip
import json
import math
import os
import random
import struct

import dovetail

PIXELS = 14 * 14  # every second row and column: enough to learn, quick in plain Python
CLASSES = 10


def read_idx(folder, name):
    path = os.path.join(folder, name)
    opened = open(path, "rb") if os.path.exists(path) else gzip.open(path + ".gz", "rb")
    with opened as file:
        dimensions = struct.unpack(">HBB", file.read(4))[2]
        shape = struct.unpack(">" + "I" * dimensions, file.read(4 * dimensions))
        return shape, file.read()


def load(folder, split, count):
    _, labels = read_idx(folder, split + "-labels-idx1-ubyte")
    (_, rows, columns), pixels = read_idx(folder, split + "-images-idx3-ubyte")
    examples = []
    for i in range(count):
        image = pixels[i * rows * columns:(i + 1) * rows * columns]
        small = [image[r * columns + c] / 255.0 for r in range(0, rows, 2) for c in range(0, columns, 2)]
        examples.append((small, labels[i]))
    return examples


def scores_of(weights, image):
    return [row[PIXELS] + sum(w * x for w, x in zip(row, image) if x) for row in weights]


def train_on(weights, image, label, rate):
    scores = scores_of(weights, image)
    top = max(scores)
    exps = [math.exp(s - top) for s in scores]
    total = sum(exps)
    for k, row in enumerate(weights):
        error = exps[k] / total - (k == label)
        step = rate * error
        for j, x in enumerate(image):
            if x:
                row[j] -= step * x
        row[PIXELS] -= step
    return -math.log(max(exps[label] / total, 1e-12))


def accuracy(weights, examples):
    right = 0
    for image, label in examples:
        scores = scores_of(weights, image)
        right += scores.index(max(scores)) == label
    return right / len(examples)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--steps", type=int, default=60, help="each of 50 examples")
    parser.add_argument("--rate", type=float, default=0.02)
    arguments = parser.parse_args()

    run = dovetail.init()
    rate = float(run.hparams.get("rate", arguments.rate))
    if rate <= 0:
        raise dovetail.InvalidHyperparameters("rate must be positive, got {}".format(rate))
    examples = load(arguments.data, "train", 2000)
    held_out = load(arguments.data, "t10k", 300)
    weights = [[0.0] * (PIXELS + 1) for _ in range(CLASSES)]
    if run.latest_checkpoint:
        with open(os.path.join(run.latest_checkpoint, "weights.json")) as file:
            weights = json.load(file)

    for step in range(run.start_step + 1, arguments.steps + 1):
        batch = random.Random(run.seed + step).sample(examples, 50)  # the step names its batch
        loss = sum(train_on(weights, image, label, rate) for image, label in batch) / len(batch)
        run.report(step, loss=loss)
        run.progress(step / arguments.steps)
        is_last = step == arguments.steps
        if step % 20 == 0 or is_last:
            run.report_validation(step, validation_accuracy=accuracy(weights, held_out), batches=step)
        if step % 20 == 0 or is_last or run.should_preempt():
            with run.checkpoint(step) as folder:
                with open(os.path.join(folder, "weights.json"), "w") as file:
                    json.dump(weights, file)
        if run.should_preempt() and not is_last:
            run.exit_preempted()
        if run.should_stop():
            return
    print("final validation_accuracy={:.3f}".format(accuracy(weights, held_out)))


if __name__ == "__main__":
    main()
