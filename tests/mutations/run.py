#!/usr/bin/env python3
"""Does the simulator find what it is for? Each patch beside this file breaks one promise of core/.
It is applied to a copy, dt-sim is built from the copy, and one of the seeds must fail; unpatched,
none may. Arguments: names of patches (default: all). The last line is "N passed, N failed"."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
COPIED = ["base", "formats", "core", "sim", "cmake", "CMakeLists.txt"]


def call(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def make_copy(tree):
    for name in COPIED:
        source = SOURCE / name
        if source.is_dir():
            shutil.copytree(source, tree / name)
        else:
            shutil.copy2(source, tree / name)


def configure(tree, build):
    command = ["cmake", "-G", "Ninja", "-S", tree, "-B", build, "-DCMAKE_BUILD_TYPE=Debug",
               "-DWITH_TRIAL=OFF", "-DWITH_SERVER=OFF", "-DWITH_TESTS=OFF"]
    launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER") or shutil.which("ccache")
    if launcher:
        command.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}")
    os.environ.setdefault("CCACHE_BASEDIR", str(tree))  # an unchanged file is compiled once
    os.environ.setdefault("CCACHE_NOHASHDIR", "1")
    call(command, tree)


# Many small worlds see more than a few large ones in the same time.
WORLD = ["--agents", "8", "--jobs", "40", "--seconds", "600"]


def seeds_pass(build, seeds):
    """Whether all seeds pass, and the last line that was said."""
    done = subprocess.run([build / "bin" / "dt-sim", "run", "--seeds", seeds, *WORLD],
                          capture_output=True, text=True)
    lines = (done.stdout + done.stderr).strip().splitlines() or ["nothing was said"]
    said = done.stdout.strip().splitlines() or lines
    return done.returncode == 0, said[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("patches", nargs="*")
    parser.add_argument("--seeds", default="1..300")
    arguments = parser.parse_args()
    names = arguments.patches or sorted(path.stem for path in HERE.glob("*.patch"))
    counts = {True: 0, False: 0}

    def report(name, good, said):
        counts[good] += 1
        print(f"{'ok' if good else 'FAILED'} {name}: {said}", flush=True)

    with tempfile.TemporaryDirectory(prefix="dt-mutations-") as folder:
        tree, build = pathlib.Path(folder), pathlib.Path(folder) / "build"
        make_copy(tree)
        configure(tree, build)
        call(["ninja", "-C", build, "dt-sim"], tree)
        passed, said = seeds_pass(build, arguments.seeds)
        report("unpatched", passed, said)
        for name in names:
            patch = HERE / f"{name}.patch"
            call(["patch", "-p1", "--fuzz=0", "-i", patch], tree)
            call(["ninja", "-C", build, "dt-sim"], tree)
            passed, said = seeds_pass(build, arguments.seeds)
            report(name, not passed, said)
            call(["patch", "-p1", "-R", "-i", patch], tree)
    print(f"{counts[True]} passed, {counts[False]} failed")
    return 0 if counts[False] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
