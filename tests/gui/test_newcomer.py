"""A newcomer's first quarter of an hour with dt-gui, played with real mouse and key events.

Every step asserts what a person would see. At the end no event handler may have used more than 50 ms of
the GUI thread's CPU time, nor waited for another thread; how long one took by the clock is the machine's
matter, and is printed only.
"""

import os
import stat
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
sys.path.insert(0, os.path.dirname(__file__))

import cluster
import person
import picture

HANDLER_CPU_MS = 50
LOCK_MS = 20  # that another thread held, which may have lost its core meanwhile
UPDATE_REQUEST = 77  # QEvent::Type
LONG_S = 400  # a search on two cores


class Newcomer(unittest.TestCase):
    def setUp(self):
        self.cluster = cluster.Cluster()
        self.addCleanup(self.cluster.close)
        self.cluster.up(agents=1, slots=4)
        self.person = person.Person(self.cluster.environment)
        self.addCleanup(self.person.close)
        self.person.open()

    def test_first_quarter_of_an_hour(self):
        self.connects()
        self.launches_with_an_error_first()
        self.watches_the_chart_fill()
        self.kills_a_second_experiment()
        self.opens_a_trial_and_zooms()
        self.finds_a_line_in_the_log()
        self.compares_two_trials()
        self.exports_a_chart()
        self.no_handler_was_slow()

    # --- the steps

    def connects(self):
        """There is no master yet for this user: the dialog asks for it."""
        address, token = self.address_and_token()
        self.person.until_sees("Connect to a master")
        self.fill_in("address", address)
        self.fill_in("token", "not-the-token")
        self.person.click("connect_button")
        self.person.until(lambda: "token" in self.person.text("connect_state"), "that the token is wrong")
        self.fill_in("token", token)
        self.person.click("connect_button")
        self.person.until_sees("connected")
        self.person.until_sees("No experiments yet")
        self.assertFalse(self.person.widgets("connect_dialog"))
        kept = self.person.credentials_path
        self.assertEqual(stat.S_IMODE(os.stat(kept).st_mode), 0o600)
        with open(kept, encoding="utf-8") as file:
            self.assertIn("token = " + token, file.read())

    def fill_in(self, name, text):
        self.person.click(name)
        self.person.key("ctrl+a")
        self.person.write(text)

    def address_and_token(self):
        with open(self.cluster.environment["DT_CREDENTIALS"], encoding="utf-8") as file:
            values = dict(line.rstrip("\n").split(" = ", 1) for line in file if " = " in line)
        return values["address"], values["token"]

    def launches_with_an_error_first(self):
        person_ = self.person
        path, wrong = self.write_config()
        person_.click("Launch")
        person_.click("open_config")
        person_.click_action("Choose a file")
        person_.choose_file(path)
        marks = person_.until(lambda: person_.ask("marks", "config_editor"), "a mark at the error's line")
        self.assertEqual(marks[0]["line"], wrong)
        problem = person_.until(lambda: person_.rows("problems"), "the list of problems")[0]
        self.assertEqual(problem["cells"]["Line"], str(wrong))
        self.assertIn("max_trials", problem["cells"]["Problem"])
        person_.click(problem["rect"])  # leads to the line
        person_.key("End", "BackSpace", "BackSpace")
        person_.write("4")
        person_.until(lambda: not person_.ask("marks", "config_editor"), "the mark gone")
        person_.until_sees("4 trials")  # what the search will cost
        person_.click("launch_button")
        person_.until(lambda: person_.text("experiment_name") == "ui-search", "the experiment's page")

    def watches_the_chart_fill(self):
        def filled():
            return [c for c in self.person.ask("curves", "learning_curves") if c["points"] >= 2]
        self.person.until(filled, "a curve with two points", LONG_S)
        self.person.until(lambda: len(self.person.ask("curves", "learning_curves")) >= 2,
                          "curves of two trials", LONG_S)

    def kills_a_second_experiment(self):
        config = os.path.join(self.cluster.dir, "second.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write("name: second\nentrypoint: sleep 1000\nsearcher: {name: single, metric: x}\n")
        self.cluster.run("experiment", "create", config)
        self.person.click("Experiments")
        self.person.click_row("experiments", "second", repeat=2)
        self.person.click("kill")
        self.person.until_sees("Kill experiment")
        self.person.click_button("Kill experiment")
        self.person.until(lambda: self.person.text("experiment_state") == "canceled", "it is canceled")

    def opens_a_trial_and_zooms(self):
        self.person.click_tab("ui-search")
        def stopped_early():
            rows = self.person.rows("trials_table")
            return [row for row in rows if row["cells"]["State"] == "stopped early"]
        row = self.person.until(stopped_early, "a trial that the search stopped", LONG_S)[0]
        self.person.click(row["rect"], repeat=2)
        self.person.until_sees("Trial {}".format(row["cells"]["Trial"]))
        def filled():
            curves = self.person.ask("points", "loss")
            return curves and len(curves[0]["points"]) >= 2 and self.person.widgets("loss")
        chart = self.person.until(filled, "the trial's chart of its loss")[0]
        left, top, width, height = chart["rect"]
        self.person.drag((left + width // 3, top + height // 2), (left + 2 * width // 3, top + height // 2))
        def zoomed():
            return [c for c in self.person.ask("charts") if c["name"] == "loss" and "range" in c]
        from_step, to_step = self.person.until(zoomed, "the zoomed chart")[0]["range"]
        steps = [point[0] for curve in self.person.ask("points", "loss") for point in curve["points"]]
        self.assertLess(min(steps), from_step)
        self.assertLess(from_step, to_step)
        self.assertLess(to_step, max(steps))

    def finds_a_line_in_the_log(self):
        self.person.click_tab("Log")
        self.person.click("log_filter")
        self.person.write("after step")
        def only_it_is_left():
            lines = self.person.ask("lines")
            return lines and all("after step" in line for line in lines)
        self.person.until(only_it_is_left, "the log's line about its end")

    def compares_two_trials(self):
        self.person.click_tab("ui-search")
        rows = self.person.until(lambda: len(self.person.rows("trials_table")) >= 2 and
                                 self.person.rows("trials_table"), "two trials")
        self.person.click(rows[0]["rect"])
        self.person.key("shift+Down")
        self.person.key("c")
        self.person.until(lambda: self.person.widgets("compare_page"), "the comparison")
        for row in rows[:2]:
            self.person.until_sees("trial {} of ui-search".format(row["cells"]["Trial"]))

    def exports_a_chart(self):
        path = os.path.join(self.person.dir, "chart.png")
        def both_drawn():
            return [chart for chart in self.person.ask("charts") if chart["curves"] >= 2 and
                    all(curve["points"] for curve in self.person.ask("points", chart["name"]))]
        chart = self.person.until(both_drawn, "a chart with both trials")[0]
        self.person.click(chart["rect"], button=3)
        self.person.click_action("PNG")
        self.person.choose_file(path)
        self.person.until_sees("Saved " + path)
        png = picture.Picture(path)
        self.assertEqual([png.width, png.height], [2 * side for side in chart["size"]])
        colors = png.colors()
        paper = max(colors.values())
        self.assertGreater(len(colors), 20, "lines and letters have many shades")
        self.assertLess(paper, 0.99 * png.width * png.height, "something is drawn")
        self.assertGreater(paper, 0.5 * png.width * png.height, "most of a chart is its paper")

    def no_handler_was_slow(self):
        slow = self.person.ask("slow")
        told = "\n".join(map(words_of, slow))
        self.assertFalse([h for h in slow if h["cpu_ms"] > HANDLER_CPU_MS], told)
        self.assertFalse([w for h in slow for w in h["waits"] if is_blocked(h, w)], told)
        print("the ten most expensive event handlers:\n" + "\n".join(map(words_of, slow[:10])))

    # --- what it opens

    def write_config(self):
        """examples/fashion_mnist/asha.yaml with an error, and the number of its line."""
        with open(os.path.join(ROOT, "examples", "fashion_mnist", "asha.yaml"), encoding="utf-8") as file:
            text = file.read()
        for old, new in (("name: fashion-mnist-asha", "name: ui-search"),
                         ("prepare: cmake -B build -G Ninja && cmake --build build\n", ""),
                         ("./build/fashion_mnist", "[{}]".format(self.cluster.program)),
                         ("max_trials: 12", "max_trials: -3")):
            self.assertIn(old, text)
            text = text.replace(old, new)
        os.mkdir(os.path.join(self.cluster.dir, "code"))
        path = os.path.join(self.cluster.dir, "code", "asha.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path, text[:text.index("max_trials: -3")].count("\n") + 1


def is_blocked(handler, wait):
    """Whether the window waited for a thread of ours. What Qt and the X server do among themselves is a
    window's daily bread: a file dialog that is closed ends its own thread, and a large area is painted
    by several."""
    if wait["library"].startswith("libxcb"):
        return False
    if wait["library"].startswith("libQt6Core"):
        is_painting = handler["event"] == UPDATE_REQUEST and wait["function"] == "futex"
        if is_painting or handler["receiver"].startswith("QFileDialog"):
            return False
    is_qt_mutex = wait["function"] == "futex" and wait["library"].startswith("libQt6Core")
    return wait["ms"] > LOCK_MS if wait["is_lock"] or is_qt_mutex else True


def words_of(handler):
    waits = ", ".join("{function} of {library} {ms:.1f} ms".format(**wait) for wait in handler["waits"])
    return "{receiver}, event {event}: {cpu_ms:.1f} ms CPU, {wall_ms:.1f} ms".format(**handler) + (
        ", waited for " + waits if waits else "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
