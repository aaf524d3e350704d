"""A person in front of dt-gui: an X server without a screen, real mouse and key events, and eyes.

The eyes are the probe (probe.h): it tells which widgets are on the screen, where, and what they say.
Hands are xdotool's: they move the pointer over pixels and press keys, whatever is there. Nothing waits by
sleeping for a time that should be enough: until() looks again until it is so, or says what was seen.
"""

import json
import os
import select
import shutil
import socket
import subprocess
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BIN = os.path.abspath(os.environ.get("DT_BIN", os.path.join(ROOT, "build", "bin")))
PATIENCE_S = 120
LOOK_AGAIN_S = 0.05


class Person:
    """environment: of the cluster. Without knows_master this user's machine knows of no master yet."""

    def __init__(self, environment, size="1280x800", knows_master=False):
        self.dir = tempfile.mkdtemp(prefix="dt-gui-")
        self._screen, display = start_screen(size)
        config = os.path.join(self.dir, "config")
        os.mkdir(config)
        self._environment = dict(environment, DISPLAY=":" + display, QT_QPA_PLATFORM="xcb",
                                 HOME=self.dir, XDG_CONFIG_HOME=config, XDG_DATA_HOME=config,
                                 QT_ACCESSIBILITY="0", LC_ALL="C.UTF-8")
        self.credentials_path = os.path.join(config, "dovetail", "credentials")
        self._environment["DT_CREDENTIALS"] = self.credentials_path
        if knows_master:
            os.mkdir(os.path.dirname(self.credentials_path))
            shutil.copy(environment["DT_CREDENTIALS"], self.credentials_path)
        self._program = None
        self._probe = None

    # --- the program

    def open(self, *arguments):
        path = os.path.join(self.dir, "probe")
        self._program = subprocess.Popen([os.path.join(BIN, "dt-gui-probed"), *arguments],
                                         env=dict(self._environment, DT_GUI_PROBE=path))
        self._probe = connect(path, self._program)
        self.until(lambda: self.windows(), "a window")
        self._focus()
        return self

    def quit(self):
        if self._probe:
            self._probe.close()
            self._probe = None
        if self._program and self._program.poll() is None:
            self._program.terminate()
            self._program.wait(PATIENCE_S)

    def close(self):
        self.quit()
        self._screen.terminate()
        self._screen.wait(PATIENCE_S)
        shutil.rmtree(self.dir, ignore_errors=True)

    # --- eyes

    def ask(self, question, name=""):
        self._probe.write(json.dumps({"ask": question, "name": name}) + "\n")
        self._probe.flush()
        answer = json.loads(self._probe.readline())
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["found"]

    def windows(self):
        return self.ask("windows")

    def widgets(self, name):
        return self.ask("find", name)

    def widget(self, name):
        """The one that is seen under this name; waits for it."""
        return self.until(lambda: self.widgets(name), "a widget named " + name)[0]

    def text(self, name):
        found = self.widgets(name)
        return found[0]["text"] if found else ""

    def sees(self, words):
        return any(words in text for text in self.ask("texts"))

    def rows(self, name):
        return self.ask("rows", name)

    def until(self, look, what, patience_s=PATIENCE_S):
        """What `look` gives as soon as it is something."""
        deadline = time.monotonic() + patience_s
        while True:
            seen = look()
            if seen:
                return seen
            if self._program.poll() is not None:
                raise AssertionError("dt-gui ended with {}".format(self._program.returncode))
            if time.monotonic() > deadline:
                self.ask("save_screen", os.path.join(tempfile.gettempdir(), "dt-gui-unseen.png"))
                raise AssertionError("did not see {}; on the screen:\n{}".format(
                    what, "\n".join(self.ask("texts"))))
            time.sleep(LOOK_AGAIN_S)

    def until_sees(self, words, patience_s=PATIENCE_S):
        self.until(lambda: self.sees(words), repr(words), patience_s)

    # --- hands

    def _xdo(self, *arguments):
        subprocess.run(["xdotool", *map(str, arguments)], env=self._environment, check=True,
                       stdout=subprocess.DEVNULL)

    def _focus(self):
        """What a window manager does: the newest window that is no popup has the keys."""
        tops = [window for window in self.windows() if not window["is_popup"]]
        if tops and not any(window["is_active"] for window in self.windows()):
            self._xdo("windowfocus", "--sync", tops[-1]["x_window"])

    def click(self, target, repeat=1, button=1):
        """On a widget by its name, or on the middle of a rectangle."""
        rect = self.widget(target)["rect"] if isinstance(target, str) else target
        self._focus()
        self._xdo("mousemove", "--sync", rect[0] + rect[2] // 2, rect[1] + rect[3] // 2)
        self._xdo("click", "--repeat", repeat, "--delay", 60, button)

    def drag(self, start, end):
        self._xdo("mousemove", "--sync", *start)
        self._xdo("mousedown", 1)
        middle = [(start[0] + end[0]) // 2, (start[1] + end[1]) // 2]
        self._xdo("mousemove", "--sync", *middle)
        self._xdo("mousemove", "--sync", *end)
        self._xdo("mouseup", 1)

    def key(self, *names):
        self._focus()
        self._xdo("key", "--clearmodifiers", *names)

    def write(self, text):
        self._focus()
        self._xdo("type", "--delay", 8, text)

    def click_tab(self, words):
        tab = self.until(lambda: [t for t in self.ask("tabs") if words in t["text"]], "a tab " + words)[0]
        self.click(tab["rect"])

    def click_action(self, words):
        action = self.until(lambda: [a for a in self.ask("actions") if words in a["text"]],
                            "a menu entry " + words)[0]
        self.click(action["rect"])

    def click_button(self, words):
        """The newest button with these words."""
        def found():
            return [b for b in self.ask("buttons") if b["text"].replace("&", "").strip() == words]
        self.click(self.until(found, "a button " + words)[-1]["rect"])

    def choose_file(self, path):
        """In a file dialog: by typing its name."""
        self.until(lambda: self.widgets("fileNameEdit"), "a file dialog")
        self.click("fileNameEdit")
        self.key("ctrl+a")
        self.write(path)
        self.key("Return")

    def click_row(self, table, cell, repeat=1):
        """The first row in sight that has a cell with this text."""
        row = self.until(lambda: [r for r in self.rows(table) if cell in r["cells"].values()],
                         "a row with {} in {}".format(cell, table))[0]
        left, top, _, height = row["rect"]
        self.click([left, top, 60, height], repeat)


def start_screen(size):
    """Xvfb on a display that is free, and its number."""
    read_end, write_end = os.pipe()
    process = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", size + "x24",
                                "-nolisten", "tcp"],
                               pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    if not select.select([read_end], [], [], PATIENCE_S)[0]:
        raise AssertionError("Xvfb does not start")
    with os.fdopen(read_end) as pipe:
        return process, pipe.readline().strip()


def connect(path, process):
    deadline = time.monotonic() + PATIENCE_S
    while True:
        client = socket.socket(socket.AF_UNIX)
        try:
            client.connect(path)
            return client.makefile("rw", encoding="utf-8")
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("dt-gui does not answer its probe") from None
            time.sleep(LOOK_AGAIN_S)
        finally:
            client.close()  # the file holds it open
