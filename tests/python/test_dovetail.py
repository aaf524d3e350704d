"""The Python client against a shim's socket that this test plays, and by hand without one."""

import contextlib
import io
import json
import math
import os
import socket
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))

import dovetail  # noqa: E402


class Shim:
    """Accepts connections one after another; says welcome and acknowledges as it is told."""

    def __init__(self, folder, acknowledges=True):
        self.path = os.path.join(folder, "rank.sock")
        self.acknowledges = acknowledges
        self.received = []
        self.hellos = []
        self.safe_seq = 0
        self._changed = threading.Condition()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.path)
        self._listener.listen()
        self._connection = None
        threading.Thread(target=self._serve, daemon=True).start()

    def environment(self, **more):
        return dict({"DT_SOCKET": self.path, "DT_RANK": "1", "DT_SIZE": "2", "DT_TOKEN": "t",
                     "DT_HPARAMS": '{"rate": 0.5}'}, **more)

    def say(self, message):
        self._connection.sendall(json.dumps(message).encode() + b"\n")

    def drop(self):
        self._connection.shutdown(socket.SHUT_RDWR)

    def wait_for(self, condition):
        with self._changed:
            if not self._changed.wait_for(condition, 20):
                raise AssertionError("not in 20 s; received {}".format(self.received))

    def _serve(self):
        while True:
            connection, _ = self._listener.accept()
            lines = connection.makefile("rb")
            hello = json.loads(lines.readline())
            with self._changed:
                self._connection = connection
                self.hellos.append(hello)
                self._changed.notify_all()
            self.say({"type": "welcome", "protocol": 1, "last_seq": self.safe_seq, "features": []})
            with contextlib.suppress(OSError):
                for line in lines:
                    self._take(json.loads(line))

    def _take(self, message):
        if self.acknowledges:
            self.safe_seq = max(self.safe_seq, message["seq"])
            self.say({"type": "ack", "seq": message["seq"]})
        with self._changed:
            self.received.append(message)
            self._changed.notify_all()


class Software(unittest.TestCase):
    def test_is_read_from_the_names_that_installers_leave(self):
        from dovetail._software import PACKAGES_MAX, installed_software
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            for folder, name in ((first, "torch-2.11.0.dist-info"), (first, "typing_extensions-4.9.dist-info"),
                                 (first, "old-1.0-py3.11.egg-info"), (first, "torch"),
                                 (second, "torch-1.0.dist-info"), (second, "unversioned.egg-info")):
                os.mkdir(os.path.join(folder, name))
            told = installed_software([first, second, os.path.join(first, "missing")])
            self.assertEqual(told["packages"],
                             {"torch": "2.11.0", "typing_extensions": "4.9", "old": "1.0"})
            for number in range(PACKAGES_MAX):
                os.mkdir(os.path.join(second, "p{}-1.dist-info".format(number)))
            self.assertEqual(len(installed_software([first, second])["packages"]), PACKAGES_MAX)


class InATrial(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_with(self, shim, **more):
        from dovetail._run import Run
        return Run(shim.environment(DT_CHECKPOINT_DIR=os.path.join(self.folder.name, "c"), **more))

    def test_says_hello_and_reports_every_kind_of_number(self):
        shim = Shim(self.folder.name)
        run = self.run_with(shim)
        run.report(3, {"MAP@k": math.nan}, loss=0.25, up=math.inf, down=-math.inf)
        run.close()
        self.assertEqual(shim.hellos[0]["rank"], 1)
        self.assertEqual(shim.hellos[0]["protocol"], 1)
        self.assertIn("CPython", shim.hellos[0]["software"]["python"])
        self.assertEqual(shim.received, [{
            "type": "metrics", "seq": 1, "group": "training", "step": 3,
            "values": {"MAP@k": "NaN", "loss": 0.25, "up": "Infinity", "down": "-Infinity"}}])

    def test_sends_again_what_was_not_acknowledged_and_nothing_else(self):
        shim = Shim(self.folder.name, acknowledges=False)
        run = self.run_with(shim)
        for step in (1, 2, 3):
            run.report(step, loss=1.0)
        shim.wait_for(lambda: len(shim.received) == 3)
        shim.safe_seq = 1  # only the first reached the disk
        shim.acknowledges = True
        shim.drop()
        shim.wait_for(lambda: len(shim.received) == 5)
        run.close()
        self.assertEqual([m["step"] for m in shim.received], [1, 2, 3, 2, 3])

    def test_hears_preempt_and_stop(self):
        shim = Shim(self.folder.name)
        run = self.run_with(shim)
        self.assertFalse(run.should_preempt())
        shim.wait_for(lambda: shim.hellos)
        shim.say({"type": "preempt", "deadline_ms": 60000})
        shim.say({"type": "stop"})
        while not run.should_stop():
            run.report(1, loss=0.0)
        self.assertTrue(run.should_preempt())
        with self.assertRaises(SystemExit) as left:
            run.exit_preempted()
        self.assertEqual(left.exception.code, 75)

    def test_a_checkpoint_is_whole_and_its_files_are_described(self):
        shim = Shim(self.folder.name)
        run = self.run_with(shim)
        with run.checkpoint(7, note="x") as folder:
            with open(os.path.join(folder, "weights.bin"), "wb") as file:
                file.write(b"abc")
        run.close()
        message = shim.received[0]
        self.assertEqual((message["type"], message["step"], message["parts"]), ("checkpoint", 7, 1))
        described = {f["path"]: (f["bytes"], f["sha256"][:8]) for f in message["files"]}
        self.assertEqual(described["weights.bin"], (3, "ba7816bf"))
        kept = os.path.join(self.folder.name, "c", message["id"])
        self.assertEqual(sorted(os.listdir(kept)), ["dovetail.json", "weights.bin"])
        again = self.run_with(shim, DT_LATEST_CHECKPOINT=kept)
        self.assertEqual(again.start_step, 7)
        again.close()

    def test_a_checkpoint_that_fails_leaves_nothing(self):
        shim = Shim(self.folder.name)
        run = self.run_with(shim)
        with self.assertRaises(ZeroDivisionError):
            with run.checkpoint(7):
                1 / 0
        run.close()
        self.assertEqual(shim.received, [])
        self.assertEqual(os.listdir(os.path.join(self.folder.name, "c")), [])

    def test_refuses_what_is_no_metric(self):
        shim = Shim(self.folder.name)
        run = self.run_with(shim)
        with self.assertRaisesRegex(TypeError, 'metric "loss" is \'low\''):
            run.report(1, loss="low")
        with self.assertRaisesRegex(ValueError, "a step is a whole number, not 1.5"):
            run.report(1.5, loss=1.0)
        run.report(3.0, ok=True)
        run.close()
        self.assertEqual(shim.received[0]["step"], 3)
        self.assertEqual(shim.received[0]["values"], {"ok": {"type": "bool", "value": True}})


class ByHand(unittest.TestCase):
    def test_prints_and_never_asks_to_stop(self):
        from dovetail._run import Run
        run = Run({})
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            run.report(1, loss=0.5)
        self.assertEqual(shown.getvalue(), "training step 1: loss=0.5\n")
        self.assertFalse(run.should_preempt() or run.should_stop())
        self.assertEqual((run.rank, run.size, run.start_step), (0, 1, 0))


if __name__ == "__main__":
    unittest.main()
