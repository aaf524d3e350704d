"""The HTTP form of the API as docs/http_api.md shows it: its examples run as they stand there."""

import json
import os
import re
import subprocess
import unittest

from cluster import BIN, PATIENCE_S, ROOT, ClusterTest


def examples():
    with open(os.path.join(ROOT, "docs", "http_api.md")) as file:
        return re.findall(r"```sh\n(.*?)```", file.read(), re.DOTALL)


class Examples(ClusterTest):
    def test_every_example_of_the_page_works(self):
        script = "set -eu\n" + "\n".join(examples())
        environment = dict(self.cluster.environment, PATH=BIN + ":" + os.environ["PATH"])
        done = subprocess.run(["bash", "-c", script], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(answers[0]["status"], "ok")
        self.assertEqual(answers[1].get("user"), "admin", done.stdout + done.stderr)
        self.assertIn("entrypoint", [error["path"] for error in answers[2]["errors"]])
        self.assertEqual(answers[3]["experimentId"], "1")
        self.assertEqual([e["name"] for e in answers[4]["experiments"]], ["by-http"])
        self.assertEqual(answers[5]["trials"][0]["experimentId"], "1")
        self.assertEqual(answers[6]["jobs"][0]["name"], "by-http")
        self.assertIn(answers[7]["state"], ("STOPPING_KILLED", "CANCELED"))
        self.assertTrue(answers[8]["heartbeat"])
        self.assertEqual(answers[-1]["code"], "not_found")


if __name__ == "__main__":
    unittest.main()
