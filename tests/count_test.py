"""count.py: what programs print, counted."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import count

PASSED = "[ RUN      ] A.B\n[       OK ] A.B (0 ms)\n"
FAILED = "[ RUN      ] A.C\n[  FAILED  ] A.C (3 ms)\n[  FAILED  ] 1 test, listed below:\n"


class Count(unittest.TestCase):
    def closing_line(self, *cases):
        """Of a JUnit file with these cases: (output, ctest's verdict)."""
        text = "<testsuite>"
        for number, (output, verdict) in enumerate(cases):
            failure = '<failure message=""/>' if verdict == "fail" else ""
            text += f'<testcase name="t{number}" status="{verdict}">{failure}'
            text += f"<system-out>{output}</system-out></testcase>"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tests.xml"
            path.write_text(text + "</testsuite>", encoding="utf-8")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                self.code = count.main(path)
        return out.getvalue().splitlines()[-1]

    def test_cases_of_googletest_are_counted(self):
        self.assertEqual(self.closing_line((PASSED * 3, "run")), "3 passed, 0 failed")
        self.assertEqual(self.code, 0)

    def test_a_failed_case_is_counted_once_and_fails_the_run(self):
        self.assertEqual(self.closing_line((PASSED + FAILED, "fail")), "1 passed, 1 failed")
        self.assertEqual(self.code, 1)

    def test_a_program_that_crashed_half_way_has_failed(self):
        self.assertEqual(self.closing_line((PASSED * 2, "fail")), "2 passed, 1 failed")

    def test_unittest_and_closing_lines_are_understood(self):
        self.assertEqual(
            self.closing_line(("Ran 7 tests in 0.1s\n\nOK\n", "run")), "7 passed, 0 failed")
        self.assertEqual(
            self.closing_line(("Ran 7 tests in 0.1s\n\nFAILED (failures=1, errors=2)\n", "fail")),
            "4 passed, 3 failed")
        self.assertEqual(self.closing_line(("a\n5 passed, 0 failed\n", "run")), "5 passed, 0 failed")

    def test_a_program_that_says_nothing_is_one_test(self):
        self.assertEqual(self.closing_line(("", "run"), ("", "fail")), "1 passed, 1 failed")

    def test_what_did_not_run_is_no_success(self):
        self.assertEqual(self.closing_line(("", "notrun")), "0 passed, 0 failed")
        self.assertEqual(self.code, 1)


if __name__ == "__main__":
    unittest.main()
