"""Bad days of the database and of disks: PostgreSQL killed, slow, cut off in mid-commit; no space under
a node's spool and under PostgreSQL. Each ends with bad_days.assert_all_is_well."""

import configparser
import contextlib
import os
import random
import signal
import unittest

from bad_days import BadDay, HALVING, SmallDisk, assert_all_is_well, may_mount, wait_for_line
from cluster import assert_gapless
from postgres_proxy import PostgresProxy

SEED = int(os.environ.get("DT_SEED_OF_DAYS", "20261130"))
CAUSE_OF_FULL = r"no space left in \S+, \d+ bytes free \(free space there; work goes on by itself\)"


def children_of(pid):
    with open("/proc/{0}/task/{0}/children".format(pid)) as file:
        return [int(child) for child in file.read().split()]


class PostgresOfDay(BadDay):
    def postgres(self):
        """The postmaster's pid."""
        with open(os.path.join(self.cluster.data, "master", "postgres", "data", "postmaster.pid")) as file:
            return int(file.readline())


class PostgresIsKilled(PostgresOfDay):
    def test_in_mid_search_all_of_it_its_first_process_and_one_other(self):
        options = dict(searcher=HALVING, trials=3, steps=160, validate_every=20, checkpoint_every=80)
        calm = self.submit(**options)
        self.assertEqual(calm.end(), 0, calm.lines)
        rough = self.submit(**options)
        for victims in (self.everything, self.first_process, self.one_process):
            rough.until(r"step \d+")  # it went through the database
            logged = os.path.getsize(self.log("master"))
            for pid in victims():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if victims != self.one_process:
                wait_for_line(self.log("master"), r"PostgreSQL had ended: started again", start=logged)
        self.assertEqual(rough.end(), 0, rough.lines)
        self.cluster.run("experiment", "describe", rough.experiment)  # waits until PostgreSQL has recovered
        self.assertEqual(self.decisions(rough), self.decisions(calm))
        # Whether a batch of the loop was under way is chance; PostgresIsSlow says what it then tells.
        assert_all_is_well(self.cluster, self.facts, said=[r"PostgreSQL had ended: started again"])

    def everything(self):
        first = self.postgres()
        return [first, *children_of(first)]

    def first_process(self):
        return [self.postgres()]

    def one_process(self):
        """PostgreSQL then ends all others itself, and recovers."""
        processes = self.cluster.sql("select pid from pg_stat_activity where pid <> pg_backend_pid()")
        return [int(random.Random(SEED).choice(processes)[0])]

    def decisions(self, follow):
        return self.cluster.sql("select event from searcher_events where experiment_id = {} order by number"
                                .format(follow.experiment))


class PostgresIsSlow(PostgresOfDay):
    def setUp(self):
        super().setUp()
        service = configparser.ConfigParser()
        service.read(os.path.join(self.cluster.data, "master", "postgres", "service.conf"))
        facts = dict(service["dovetail"], proxy=self.cluster.dir)
        self.proxy = PostgresProxy(os.path.join(self.cluster.dir, ".s.PGSQL.5432"),
                                   "{host}/.s.PGSQL.{port}".format(**facts))
        self.addCleanup(self.proxy.close)
        self.cluster.kill("master")
        self.cluster.start_master(
            "--db", "postgresql://{user}:{password}@/{dbname}?host={proxy}".format(**facts))

    def test_then_silent_then_cut_in_mid_commit_then_well(self):
        self.facts.hold()
        follow = self.submit(trials=2, validate_every=5, checkpoint_every=50)
        self.facts.until("safe", count=4)
        self.proxy.delay_s = 0.05
        follow.until(r"step \d+")
        self.proxy.stall()
        wait_for_line(self.log("master"), r"it has not answered for \d+ s")
        self.proxy.heal()
        follow.until(r"step \d+")
        cuts = [(whose, arrives) for whose in ("loop", "ingest", "part") for arrives in (True, False)] * 2
        random.Random(SEED).shuffle(cuts)
        self.proxy.cut_commits(cuts)
        self.proxy.wait_until_cut(timeout_s=60)
        follow.until(r"step \d+")
        self.facts.let_go()
        self.assertEqual(follow.end(), 0, follow.lines)
        assert_all_is_well(self.cluster, self.facts, said=[
            r"the database is slow or hangs: it has not answered for \d+ s",
            r"waits for the database: the outcome of a commit is not known"])


class NoSpaceForSpools(BadDay):
    SLOTS = 3

    def before_up(self):
        self.disk = SmallDisk(self.cluster, os.path.join(self.cluster.data, "agent-1"), 8 << 20)
        self.addCleanup(self.disk.close)

    def test_ranks_wait_with_what_they_have_and_go_on_when_there_is_space(self):
        self.facts.hold()
        running = self.submit(trials=2)
        self.facts.until("safe", count=4)
        self.disk.fill()
        wait_for_line(self.log("agent-1"), r"allocation \S+: cannot write the spool: no space left")
        # What comes now waits for space, and does not fail.
        late = self.submit(steps=20)
        wait_for_line(self.log("agent-1"), r"allocation \S+ waits: .*no space left")
        reached = max(fact["step"] for fact in self.facts.so_far(kind="safe"))
        self.disk.free()
        self.facts.until("safe", min_step=reached + 50)
        self.facts.until("start", count=3)
        self.facts.let_go()
        self.assertEqual(running.end(), 0, running.lines)
        self.assertEqual(late.end(), 0, late.lines)
        assert_all_is_well(self.cluster, self.facts, said=[
            r"cannot write the spool: " + CAUSE_OF_FULL, r"its spool is written again"])


@unittest.skipUnless(may_mount(), "PostgreSQL gets no preloaded library: it wants a small file system")
class NoSpaceForPostgres(PostgresOfDay):
    def before_up(self):
        self.disk = SmallDisk(self.cluster, os.path.join(self.cluster.data, "master", "postgres"), 256 << 20)
        self.addCleanup(self.disk.close)

    def test_for_tables_then_for_its_log_then_it_goes_on_by_itself(self):
        self.facts.hold()
        follow = self.submit(trials=2, validate_every=10)
        follow.until(r"step \d+")
        self.disk.fill()
        wait_for_line(self.log("agent-1"), r"its records are not taken: the database cannot write: .*no space")
        # Larger than what is left of the pages that PostgreSQL has: a small change might still fit there.
        large = "description=" + random.Random(SEED).randbytes(60000).hex()
        said = self.cluster.run("run", "--no-context", "--detach", "--set", large, "--", "true", code=None)
        self.assertRegex(said, CAUSE_OF_FULL)
        # The next piece of its log finds no space either: PostgreSQL ends, and cannot start.
        for number in range(8):
            self.cluster.run("local", "psql", "--", "-c", "select pg_switch_wal()", "-c",
                             "create table no_space_{} as select 1".format(number), code=None)
        wait_for_line(self.log("master"), r"PostgreSQL had ended and does not start")
        self.disk.free()
        wait_for_line(self.log("master"), r"PostgreSQL had ended: started again")
        self.facts.let_go()
        self.assertEqual(follow.end(), 0, follow.lines)
        # What was refused may still be done: whether, nobody knew.
        for [experiment] in self.cluster.sql("select id from experiments"):
            self.cluster.run("experiment", "wait", experiment)
        assert_gapless(self, self.cluster, follow.experiment)
        assert_all_is_well(self.cluster, self.facts, said=[CAUSE_OF_FULL], gapless=False)


if __name__ == "__main__":
    print("seed", SEED)
    unittest.main()
