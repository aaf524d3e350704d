"""dtctl as a person meets it: a bar that stays at the bottom of a terminal, and completion in bash."""

import os
import pty
import re
import subprocess
import unittest

from cluster import BIN, ClusterTest

REPORTS = """
import dovetail
run = dovetail.init()
for step in (1, 2):
    run.report_validation(step, error=1 - step / 4)
"""


class Terminal(ClusterTest):
    def follow_in_a_terminal(self, kind):
        master, slave = pty.openpty()
        done = subprocess.Popen(
            [os.path.join(BIN, "dtctl"), "run", "--no-context", "--metric", "error", "--", "python3", "-c",
             REPORTS], env=dict(self.cluster.environment, TERM=kind), stdout=slave, stderr=slave)
        os.close(slave)
        seen = b""
        try:
            while piece := os.read(master, 65536):
                seen += piece
        except OSError:  # the other side is closed
            pass
        os.close(master)
        self.assertEqual(done.wait(), 0, seen.decode())
        return seen.decode()

    def test_a_bar_stays_below_the_lines_and_is_gone_at_the_end(self):
        seen = self.follow_in_a_terminal("xterm")
        bars = re.findall(r"\r\x1b\[2K([▓░]{24} +\d+%  [^\r\n]*)", seen)
        self.assertTrue(bars, seen)
        self.assertIn("1/1 trials", bars[-1])
        self.assertIn("best error=0.5", bars[-1])
        last_bar = seen.rindex("trials  best")
        self.assertIn("\r\x1b[2KTRIAL", seen[last_bar:])  # erased before the table

    def test_a_terminal_that_cannot_draw_gets_plain_lines(self):
        self.assertNotIn("\x1b", self.follow_in_a_terminal("dumb"))


class Completion(unittest.TestCase):
    def complete(self, line):
        """What bash offers after this line, which ends in the word to complete."""
        script = ('eval "$(dtctl completion bash)"; COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); '
                  '_dtctl; printf "%s\\n" "${{COMPREPLY[@]}}"').format(line)
        done = subprocess.run(["bash", "-c", script], env={"PATH": BIN + ":" + os.environ["PATH"]},
                              stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.split()

    def test_commands_subcommands_and_options(self):
        self.assertEqual(self.complete("dtctl exp"), ["experiment"])
        self.assertEqual(self.complete("dtctl experiment cr"), ["create"])
        self.assertEqual(self.complete("dtctl experiment create a.yaml . --fol"), ["--follow"])
        self.assertIn("describe", self.complete("dtctl trial ''"))

    def test_an_argument_that_is_no_command_completes_files(self):
        self.assertEqual(self.complete("dtctl experiment create ./no-such-thing"), [])


if __name__ == "__main__":
    unittest.main()
