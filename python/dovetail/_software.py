"""What a Python trial runs on: told once, with the rank's hello, for who compares runs.

Versions are read from the names of the folders that installers leave beside each package
(NAME-VERSION.dist-info), not from their contents: a millisecond instead of half a second.
"""

import os
import platform
import sys

PACKAGES_MAX = 500


def installed_software(paths=None):
    packages = {}
    for folder in sys.path if paths is None else paths:
        for name, version in _packages_in(folder or "."):
            packages.setdefault(name, version)  # the first on the path is what import finds
    names = sorted(packages, key=str.lower)[:PACKAGES_MAX]
    return {
        "python": "{} {}".format(platform.python_implementation(), platform.python_version()),
        "packages": {name: packages[name] for name in names},
    }


def _packages_in(folder):
    try:
        entries = os.listdir(folder)
    except OSError:
        return  # a zip file, or a folder that is not there
    for entry in sorted(entries):
        stem, suffix = os.path.splitext(entry)
        if suffix not in (".dist-info", ".egg-info"):
            continue
        parts = stem.split("-")  # within names and versions installers write _
        if len(parts) >= 2 and parts[1][:1].isdigit():
            yield parts[0], parts[1]
