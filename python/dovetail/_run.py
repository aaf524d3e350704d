"""Run: what a training script reports and asks. See the package for an example."""

import atexit
import contextlib
import hashlib
import json
import os
import shutil
import sys
import uuid

from ._socket import RankSocket, encode_number
from ._software import installed_software

EXIT_PREEMPTED = 75
EXIT_INVALID_HPARAMS = 78


class InvalidHyperparameters(SystemExit):
    """Raise it to say: these hyperparameters make no sense. The search replaces the trial."""

    def __init__(self, reason):
        super().__init__(EXIT_INVALID_HPARAMS)
        print("invalid hyperparameters: {}".format(reason), file=sys.stderr)


def init(start_step=None):
    """Joins the trial that this process belongs to, or makes a run that prints."""
    return Run(os.environ, start_step)


class Run:
    """rank, size: of this process in its gang. hparams, config: plain dicts. start_step: the step
    of the checkpoint to go on from, 0 when fresh. latest_checkpoint: its folder, or None."""

    def __init__(self, environment, start_step=None):
        get = environment.get
        self.in_trial = bool(get("DT_SOCKET"))
        self.rank = int(get("DT_RANK", "0"))
        self.size = int(get("DT_SIZE", "1"))
        self.seed = int(get("DT_SEED", "0"))
        self.trial_id = int(get("DT_TRIAL_ID", "0"))
        self.hparams = json.loads(get("DT_HPARAMS") or "{}")
        self.config = json.loads(get("DT_CONFIG") or "{}")
        self.latest_checkpoint = get("DT_LATEST_CHECKPOINT") or None
        self._metadata = self._read_metadata()
        self.start_step = (
            start_step if start_step is not None else int(self._metadata.get("step", 0)))
        self._checkpoint_root = get("DT_CHECKPOINT_DIR") or os.path.abspath("checkpoints")
        self._socket = None
        self._is_closed = False
        if self.in_trial:
            # Once a node is enough, and packages are many.
            software = installed_software() if get("DT_LOCAL_RANK", "0") == "0" else None
            self._socket = RankSocket(
                environment["DT_SOCKET"], self.rank, get("DT_TOKEN", ""), self.start_step, software)
        atexit.register(self.close)

    def report(self, step, metrics=None, group="training", epoch=None, **more):
        """Reports metrics of a step, by keyword or as a dict (any name): numbers, NaN and infinities
        included, or typed objects such as {"type": "text", "value": "…"}. The searcher hears rank 0's
        group "validation"."""
        values = dict(metrics or {}, **more)
        message = {
            "type": "metrics",
            "group": group,
            "step": _whole(step),
            "values": {name: _metric(name, value) for name, value in values.items()},
        }
        if epoch is not None:
            message["epoch"] = epoch
        if self._socket:
            self._socket.send(message)
            return
        shown = "  ".join("{}={}".format(name, value) for name, value in values.items())
        print("{} step {}: {}".format(group, step, shown), flush=True)

    def report_validation(self, step, metrics=None, epoch=None, **more):
        self.report(step, metrics, group="validation", epoch=epoch, **more)

    def progress(self, fraction):
        """How much of the training is done, 0 to 1."""
        if self._socket:
            self._socket.send({"type": "progress", "fraction": min(max(float(fraction), 0.0), 1.0)})

    def should_preempt(self):
        """True when the trial must give its slots back: checkpoint, then exit_preempted()."""
        return self._socket is not None and self._socket.preempt_deadline() is not None

    def should_stop(self):
        """True when the search needs no more of this trial: just return."""
        return self._socket is not None and self._socket.stop_ordered()

    def exit_preempted(self):
        self.close()
        sys.exit(EXIT_PREEMPTED)

    @contextlib.contextmanager
    def checkpoint(self, step, **metadata):
        """Gives an empty folder to write into; afterwards it is a checkpoint of that step. When an
        exception leaves the block, nothing is kept. Returns once the checkpoint is safe on the node."""
        step = _whole(step)
        checkpoint_id = str(uuid.uuid4())
        os.makedirs(self._checkpoint_root, exist_ok=True)
        part = os.path.join(self._checkpoint_root, "." + checkpoint_id)
        os.mkdir(part)
        try:
            yield part
            with open(os.path.join(part, "dovetail.json"), "w") as file:
                json.dump(dict(metadata, step=step), file)
            files = [_describe(part, path) for path in _walk(part)]
            folder = os.path.join(self._checkpoint_root, checkpoint_id)
            os.rename(part, folder)
            _sync(self._checkpoint_root)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        if not self._socket:
            print("checkpoint of step {}: {}".format(step, folder), flush=True)
            return
        seq = self._socket.send({
            "type": "checkpoint",
            "id": checkpoint_id,
            "step": step,
            "part": 0,
            "parts": 1,
            "files": files,
            "metadata": dict(metadata, framework="python"),
        })
        self._socket.wait_acked(seq)

    def close(self):
        """Waits until everything is safe; called at exit by itself."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._socket:
            self._socket.close()

    def _read_metadata(self):
        if not self.latest_checkpoint:
            return {}
        try:
            with open(os.path.join(self.latest_checkpoint, "dovetail.json")) as file:
                return json.load(file)
        except FileNotFoundError:
            return {}


def _whole(step):
    if isinstance(step, bool) or int(step) != step:
        raise ValueError("a step is a whole number, not {!r}".format(step))
    return int(step)


def _metric(name, value):
    if isinstance(value, dict) and "type" in value:
        return value
    if isinstance(value, bool):
        return {"type": "bool", "value": value}
    if hasattr(value, "item"):  # one element of numpy, torch, …
        value = value.item()
    if not isinstance(value, (int, float)):
        raise TypeError(
            'metric "{}" is {!r}: report a number, or {{"type": "text", "value": …}}'.format(
                name, value))
    return encode_number(value)


def _walk(folder):
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            yield os.path.join(root, name)


def _describe(folder, path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            digest.update(piece)
        os.fsync(file.fileno())
    return {
        "path": os.path.relpath(path, folder),
        "bytes": os.path.getsize(path),
        "sha256": digest.hexdigest(),
    }


def _sync(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
