"""The example's convolutional network, by hand with dt-launch: it learns, and two ranks equal one rank
that accumulates two micro-batches, bit for bit."""

import os
import re
import subprocess
import tempfile
import unittest

from cluster import BIN, FASHION_MNIST


class ConvolutionalNetwork(unittest.TestCase):
    def train(self, ranks, *flags):
        with tempfile.TemporaryDirectory(prefix="dt-cnn-") as folder:
            done = subprocess.run(
                [os.path.join(BIN, "dt-launch"), "--nproc", str(ranks), "--", FASHION_MNIST, "--channels", "4",
                 "--hidden", "32", "--batch", "128", *flags],
                env=dict(os.environ, OMP_NUM_THREADS="1"), cwd=folder, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        return done.stdout

    def final(self, said):
        return re.search(r"final loss=\S+ params_sha256=\w{64}", said).group(0)

    def test_two_ranks_equal_one_with_accumulation(self):
        steps = ["--steps", "20", "--lr", "0.003"]
        self.assertEqual(self.final(self.train(2, *steps)), self.final(self.train(1, *steps, "--accumulate", "2")))

    def test_it_learns(self):
        said = self.train(2, "--steps", "150", "--lr", "0.003")
        accuracy = float(re.findall(r"validation_accuracy=(\S+)", said)[-1])
        self.assertGreater(accuracy, 0.7)


if __name__ == "__main__":
    unittest.main()
