"""Counts single tests in the JUnit file that ctest wrote, and ends with “N passed, N failed”.

A ctest test is one program; what it prints tells how many tests were in it: GoogleTest's lines,
unittest's summary, or a closing “N passed, N failed”. One that prints none is one test.
"""

import re
import sys
import xml.etree.ElementTree as xml

GTEST_PASSED = re.compile(r"^\[       OK \] ", re.M)
GTEST_FAILED = re.compile(r"^\[  FAILED  \] \S+.* \(\d+ ms\)$", re.M)
UNITTEST_RAN = re.compile(r"^Ran (\d+) tests? in ", re.M)
UNITTEST_BAD = re.compile(r"^FAILED \((.*)\)$", re.M)
CLOSING_LINE = re.compile(r"^(\d+) passed, (\d+) failed$", re.M)


def counts_in(output):
    """(passed, failed) as the program's own output tells; (0, 0) when it tells nothing."""
    passed, failed = len(GTEST_PASSED.findall(output)), len(GTEST_FAILED.findall(output))
    if passed or failed:
        return passed, failed
    ran = UNITTEST_RAN.search(output)
    if ran:
        bad = UNITTEST_BAD.search(output)
        failed = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", bad[1])) if bad else 0
        return int(ran[1]) - failed, failed
    closing = CLOSING_LINE.findall(output)
    return (int(closing[-1][0]), int(closing[-1][1])) if closing else (0, 0)


def counts_of(case):
    """(passed, failed, skipped) of one ctest test; what ctest calls failed is never all passed."""
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return 0, 0, 1
    passed, failed = counts_in(case.findtext("system-out") or "")
    if case.find("failure") is not None or case.get("status") == "fail":
        return passed, max(failed, 1), 0
    return (passed or 1), failed, 0


def main(path):
    totals, bad = [0, 0, 0], []
    for case in xml.parse(path).getroot().iter("testcase"):
        counts = counts_of(case)
        totals = [total + count for total, count in zip(totals, counts)]
        if counts[1]:
            bad.append(case.get("name"))
    for name in bad:
        print(f"failed: {name}")
    if totals[2]:
        print(f"{totals[2]} skipped")
    print(f"{totals[0]} passed, {totals[1]} failed")
    return 1 if totals[1] or not totals[0] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
