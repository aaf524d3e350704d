"""Two agents with folders of their own: one trial across both equals the one-node run, and a node
that dies takes the other's rank with it and comes back from the master's store."""

import os
import unittest

from cluster import Cluster, ClusterTest, assert_gapless, boot_ms, kill_pid, processes_with, wait_gone

STEPS = ["--set", "hyperparameters.steps=400", "--set", "min_validation_period={batches: 100}"]


class TwoNodes(ClusterTest):
    AGENTS, SLOTS = 2, 1

    def one_node_run(self):
        cluster = Cluster()
        self.addCleanup(cluster.close)
        cluster.up(agents=1, slots=2)
        follow = cluster.follow("experiment", "create", cluster.example("single.yaml"), *STEPS)
        self.assertEqual(follow.end(), 0, follow.lines)
        final = cluster.final(cluster.trials(follow.experiment)[0]["id"])
        cluster.close()
        return final

    def test_equal_bit_for_bit_and_resume_after_the_death_of_a_node(self):
        expected = self.one_node_run()
        calm = self.cluster.follow("experiment", "create", self.cluster.example("single.yaml"), *STEPS)
        self.assertEqual(calm.end(), 0, calm.lines)
        trial = self.cluster.trials(calm.experiment)[0]["id"]
        nodes = self.cluster.json("trial", "describe", trial)["attempt_list"][0]["nodes"]
        self.assertEqual(sorted(node["agent_name"] for node in nodes), ["agent-1", "agent-2"])
        self.assertEqual(self.cluster.final(trial), expected)

        rough = self.cluster.follow("experiment", "create", self.cluster.example("single.yaml"), *STEPS)
        rough.until(r"step 200 ")
        trial = self.cluster.trials(rough.experiment)[0]["id"]
        first = self.cluster.json("trial", "describe", trial)["attempt_list"][0]
        # The node of rank 1 dies, its shim with it.
        dead = next(node["agent_name"] for node in first["nodes"] if node["agent_id"] != first["nodes"][0]["agent_id"])
        other = first["nodes"][0]["agent_name"]
        own_rank = os.pidfd_open(self.cluster.rank_pids(dead + "/")[1])
        shims = [pid for pid in processes_with(os.path.join(self.cluster.data, dead)) if is_shim(pid)]
        self.assertEqual(len(shims), 1)
        self.cluster.kill(dead)
        died_ms = boot_ms()
        kill_pid(shims[0])
        wait_gone(own_rank, 1)
        os.close(own_rank)
        stamps = self.wait_for_stamp(other, first["id"])
        self.assertLessEqual(stamps[0] - died_ms, 3000)

        self.cluster.up_again()
        rough.until(r"attempt 2")
        self.assertEqual(rough.end(), 0, rough.lines)
        attempts = self.cluster.json("trial", "describe", trial)["attempt_list"]
        phases = {node["agent_name"]: node["phase"] for node in attempts[0]["nodes"]}
        self.assertEqual(phases, {dead: "lost", other: "ended"})
        self.assertIn("infrastructure", attempts[0]["outcome"])
        self.assertEqual(len(attempts[1]["nodes"]), 2)
        self.assertIsNotNone(attempts[1]["resumed_from"])
        self.assertEqual(self.cluster.trials(rough.experiment)[0]["restarts"], 0)
        self.assertEqual(self.cluster.final(trial), expected)
        assert_gapless(self, self.cluster, rough.experiment)

    def wait_for_stamp(self, agent, allocation):
        """The shim writes its stamps when its rank has ended, and then ends itself."""
        for pid in processes_with(os.path.join(self.cluster.data, agent)):
            if is_shim(pid):
                handle = os.pidfd_open(pid)
                wait_gone(handle)
                os.close(handle)
        return self.cluster.exit_stamps(agent, allocation)


def is_shim(pid):
    try:
        with open("/proc/{}/comm".format(pid)) as file:
            return file.read().strip() == "dt-shim"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
