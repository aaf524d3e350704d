"""Reads the sources and says what breaks the rules that no compiler holds (CONTRIBUTING.md).

    tidy.py [ROOT]      prints “file:line: what is wrong” and exits 1 if anything is
"""

import ast
import pathlib
import re
import subprocess
import sys

MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 70

# Which rooms a room may include, itself aside. A folder below a room belongs to it.
ROOMS = {
    "base": [],
    "formats": ["base"],
    "core": ["base"],
    "proto": ["base"],
    "client": ["base", "formats", "proto"],
    "master": ["base", "formats", "core", "proto"],
    "agent": ["base", "formats", "core", "client", "proto"],
    "shim": ["base", "formats", "core"],
    "trial": ["base", "formats"],
    "cli": ["base", "formats", "client", "proto"],
    "gui": ["base", "formats", "client", "proto"],
    "sim": ["base", "formats", "core"],
    "examples": ["trial"],
    "bench": None,  # None: every room
    "tests": None,
}

# Foreign headers that some rooms only may include: pattern, name, where.
GUARDED = [
    (r"(torch|ATen|c10|c10d|caffe2)/", "LibTorch", ["trial", "examples"]),
    (r"pqxx/", "libpqxx", ["master/store"]),
    (r"(Q[A-Z]|Qt|qcustomplot)", "Qt", ["gui", "bench"]),
    (r"(grpc|grpcpp|google/protobuf|absl|dovetail/v1)/", "gRPC",
     ["bench", "proto", "client", "master", "agent", "cli", "gui"]),
    (r"boost/", "Boost", ["master/http"]),
    (r"yaml-cpp/", "yaml-cpp", ["formats"]),
    (r"nlohmann/", "nlohmann-json", ["formats"]),
    (r"(spdlog|fmt)/", "spdlog", ["master", "agent"]),
    (r"CLI/", "CLI11", ["cli", "master", "agent"]),
]

# What would make a decision of core/ depend on more than its input.
IMPURE = [
    (r"#include <(thread|mutex|shared_mutex|condition_variable|future|atomic)>",
     "threads: return an action"),
    (r"#include <(fstream|iostream|cstdio|filesystem|unistd\.h|sys/.*)>",
     "I/O: return an action"),
    (r"\b(system_clock|steady_clock|high_resolution_clock|clock_gettime|gettimeofday)\b",
     "a clock: take a Time"),
    (r"\b(unordered_\w+|flat_hash\w+)", "an order that varies: use std::map or std::set"),
    (r"\b(random_device|mt19937\w*|s?rand\()", "unseeded chance: take an Rng"),
    (r"\b(spdlog|printf|std::cerr|std::cout)\b", "logging: return an action"),
    (r"\bgetenv\b", "the environment: take it as a parameter"),
    (r"\b(dynamic_cast|try \{|catch \()", "errors are values: return a Status"),
]

# A character class keeps these lines from matching themselves.
EVERYWHERE = [
    (r"[ \t]+$", "trailing space"),
    (r"\b(TOD[O]|FIXM[E]|XX[X])\b", "an open end: do it, or file an issue"),
    (r"(^|[^\w.])/wor[k]/", "a path of one machine"),
    (r"pyp[i]\.org|pythonhoste[d]|deb\.debia[n]\.org", "a registry's host"),
]

CODE = (".h", ".cpp")
TEXT = CODE + (".py", ".sql", ".proto", ".cmake", ".txt", ".md", ".yaml", ".json", ".sh")
LONG_BY_NATURE = {"LICENSE", "CHANGELOG.md"}


def files_of(root):
    """What git tracks or would track; without git (a copy), every file outside build folders."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
        capture_output=True, text=True, check=False)
    if listed.returncode == 0 and (root / ".git").exists():
        names = sorted(set(listed.stdout.splitlines()))
    else:
        names = sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())
        names = [n for n in names if not n.startswith(("build", ".git/"))]
    return [n for n in names if (root / n).is_file() and is_text(n)]


def is_text(name):
    return name.endswith(TEXT) or "." not in pathlib.PurePath(name).name


def room_of(name):
    """Where a file stands for the rules: tests/unit/<room> and tests/gui have their room's headers."""
    parts = name.split("/")
    if parts[:2] == ["tests", "gui"]:
        return "/".join(parts[1:])
    if parts[:3] == ["tests", "unit", "store"]:
        return "/".join(["master", *parts[2:]])
    return "/".join(parts[2:]) if parts[:2] == ["tests", "unit"] else name


def check_includes(name, lines):
    room = name.split("/")[0]
    if room not in ROOMS:
        return
    for number, line in enumerate(lines, 1):
        found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if not found:
            continue
        header = found[1]
        target = header.split("/")[0] if "/" in header else None
        allowed = ROOMS[room]
        if allowed is not None and target in ROOMS and target not in [room, *allowed]:
            usable = ", ".join(allowed) or "std only"
            yield number, f"{room}/ may not include {header}; it may use {usable}"
        yield from check_guarded(name, number, header)


def check_guarded(name, number, header):
    place = room_of(name)
    for pattern, library, rooms in GUARDED:
        if re.match(pattern, header) and not any(place.startswith(r + "/") for r in rooms):
            yield number, f"{library} ({header}) may be included only in {', '.join(rooms)}"


NOT_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*\""""
    r"""|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)


def blank_out(text):
    """The same text with comments and string contents as spaces; lines stay where they are."""
    return NOT_CODE.sub(spaces, text)


def spaces(match):
    return re.sub(r"[^\n]", " ", match[0])


BEFORE_FUNCTION = re.compile(
    r"^\s*((public|private|protected)\s*:\s*)?(template\s*<[^{;]*?>\s*)?")
NO_FUNCTION = re.compile(
    r"^\s*(namespace|class|struct|enum|union|extern|inline namespace)\b|=\s*$|^\s*$")


def functions_in(text):
    """(first line, number of lines) of every outermost function body."""
    text = DIRECTIVE.sub(spaces, blank_out(text))
    open_braces, start, head = [], 0, 0
    for at, char in enumerate(text):
        if char == "{":
            opener = BEFORE_FUNCTION.sub("", text[head:at])
            is_function = ")" in opener and not NO_FUNCTION.search(opener)
            if "function" in open_braces:
                open_braces.append("block")
            elif is_function:
                start = at - len(text[head:at].lstrip())
                open_braces.append("function")
            else:
                open_braces.append("scope")
            head = at + 1
        elif char == "}" and open_braces:
            if open_braces.pop() == "function":
                first = text.count("\n", 0, start) + 1
                yield first, text.count("\n", 0, at) + 2 - first
            head = at + 1
        elif char == ";":
            head = at + 1


def python_functions_in(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1


def check_sizes(name, text):
    lines = text.count("\n")
    if lines > MAX_FILE_LINES and pathlib.Path(name).name not in LONG_BY_NATURE:
        yield 1, f"{lines} lines; a file has at most {MAX_FILE_LINES}: split it by subject"
    functions = []
    if name.endswith(CODE):
        functions = functions_in(text)
    elif name.endswith(".py"):
        functions = python_functions_in(text)
    for line, length in functions:
        if length > MAX_FUNCTION_LINES:
            limit = f"at most {MAX_FUNCTION_LINES}"
            yield line, f"a function of {length} lines; {limit}: name its parts"


# Whom a bench compares us with, if they are installed.
PEERS = {"bench/search_peers.py": {"numpy", "optuna", "ray"}}


def check_imports(root, name, text):
    """Python here has the standard library and our own package, no more: nothing to install."""
    beside = (root / "tests").rglob("*.py") if name.startswith("tests/") else \
        (root / name).parent.glob("*.py")
    ours = {"dovetail", *(p.stem for p in beside), *PEERS.get(name, ())}
    for node in ast.walk(ast.parse(text)):
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            modules = [node.module]
        for module in modules:
            top = module.split(".")[0]
            if top not in sys.stdlib_module_names and top not in ours:
                yield node.lineno, f"imports {module}: not in the standard library"


def check_words(name, text, lines):
    for number, line in enumerate(lines, 1):
        for pattern, meaning in EVERYWHERE:
            if re.search(pattern, line):
                yield number, meaning
    if name.startswith("core/") and name.endswith(CODE):
        for number, line in enumerate(blank_out(text).split("\n"), 1):
            for pattern, meaning in IMPURE:
                if re.search(pattern, line):
                    yield number, f"core/ is pure and must not use {meaning}"


def check_header(name, text):
    stands_in = "/gloo_stub/" in name  # for a header of somebody else's library
    if name.endswith(".h") and name.split("/")[0] in ROOMS and not stands_in:
        if not text.startswith("//"):
            yield 1, "a header opens with what it is for and what it promises"
        if "#pragma once" not in text:
            yield 1, "a header needs #pragma once"


FOLDERS = {*ROOMS, "docs", "sql", "python", "cmake"}


def check_paths(root, name, lines):
    """What a page names must be there: `shim/keeper.cpp`, `tests/e2e`, [text](docs/page.md)."""
    for number, line in enumerate(lines, 1):
        here = (root / name).parent
        for link in re.findall(r"\]\(([^)#:\s]+)\)", line):
            if not (here / link).exists():
                yield number, f"the link leads to {link}, which is not there"
        for path in re.findall(r"`([a-z_]+/[\w./*-]*)`", line):
            is_ours = path.split("/")[0] in FOLDERS and not re.search(r"[A-Z]{4}", path)
            if is_ours and not any(root.glob(path.rstrip("/"))):
                yield number, f"names {path}, which is not there"


def problems_of(root):
    for name in files_of(root):
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            yield f"{name}:1: not UTF-8"
            continue
        lines = text.split("\n")
        found = [*check_sizes(name, text), *check_words(name, text, lines)]
        found += check_header(name, text)
        if name.endswith(CODE):
            found += check_includes(name, lines)
        if name.endswith(".md"):
            found += check_paths(root, name, lines)
        if name.endswith(".py"):
            found += check_imports(root, name, text)
        for number, problem in sorted(found):
            yield f"{name}:{number}: {problem}"


def main(root):
    problems = list(problems_of(root))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parents[2]
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here))
