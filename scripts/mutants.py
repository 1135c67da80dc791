"""Breaks the code on purpose, in a small way and one place at a time, and looks whether a test notices.

    python scripts/mutants.py --count 60 --seed 1                  # a sample of all the places
    python scripts/mutants.py --only src/headwater/sql --count 40  # of one folder
    python scripts/mutants.py --list --count 10                    # only say what would be changed

Works on a copy of the tree, so that nothing here changes. A mutant is killed when a test fails, or does not end in
time; one that all tests let pass survives, and is shown as a difference: either a test is missing, or the change means
nothing. The same seed gives the same sample of the same code. The result is printed, and kept as JSON.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SOURCE = "src/headwater"
_SQLITE = ("-k", "not mariadb and not postgresql")
TESTS: dict[str, list[tuple[str, ...]]] = {
    # By the beginning of a path: the tests that cover it, in the order in which they are tried, the fastest first.
    f"{SOURCE}/graph/rollup": [("tests/graph/rollup/test_rollup.py",), ("tests/pipeline/rollup/test_rollup.py",)],
    f"{SOURCE}/graph": [
        ("tests/graph", "tests/interpret", "tests/pipeline/tasks/test_fold.py"),
        ("tests/api/test_answers.py", "tests/lineage"),
        ("tests/store/read/test_search.py", "tests/store/test_contract.py", *_SQLITE),
    ],
    f"{SOURCE}/api/authentication/authorize.py": [("tests/api/authentication",), ("tests/api/test_isolation.py",)],
    f"{SOURCE}/access": [
        ("tests/access",),
        ("tests/api/authentication/test_authorize.py",),
        ("tests/api/authentication/test_roles.py", "tests/api/operators/test_dead_letters.py"),
    ],
    f"{SOURCE}/ingest": [
        ("tests/ingest", "--ignore=tests/ingest/test_kill.py"),
        (
            "tests/api/authentication/test_authorize.py",
            "tests/api/operators/test_limits.py",
            "tests/api/test_ingest.py",
        ),
        ("tests/api/authentication/test_roles.py", "tests/api/operators/test_dead_letters.py"),
    ],
    f"{SOURCE}/store": [
        ("tests/store", "--ignore=tests/store/test_outage.py", *_SQLITE),
        ("tests/api/test_answers.py", "tests/api/openapi/test_every_argument.py", "tests/lineage"),
        (
            "tests/api/test_reading.py",
            "tests/api/operators/test_dead_letters.py",
            "tests/api/marquez/test_names_and_versions.py",
        ),
        ("tests/api/v2/lists/test_filters.py", "tests/pipeline/jobs/test_replay.py"),
    ],
    f"{SOURCE}/sql": [("tests/sql", "--ignore=tests/sql/test_fuzz.py"), ("tests/sql/test_fuzz.py",)],
}
INGEST = ("rate_limits", "concurrency_limit")
SKIPPED = ("migrations", "__init__.py")
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_OPERATED: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.BitOr: "&", ast.BitAnd: "|"}
_NAMED = {"min": "max", "max": "min", "any": "all", "all": "any", "True": "False", "False": "True"}
_IN_SQL = {" <= ": " < ", " >= ": " > ", " < ": " <= ", " > ": " >= ", " DESC": " ASC", "MIN(": "MAX(", "MAX(": "MIN("}
_IN_SQL |= {
    " = ?": " <> ?",
    " AND ": " OR ",
    " IS NULL": " IS NOT NULL",
    " IS NOT NULL": " IS NULL",
    "LEFT JOIN": "JOIN",
}
_ASIDE = ("annotation", "returns", "decorator_list", "type_params")
_SECONDS_AT_LEAST = 60.0


class Mutant(NamedTuple):
    """One change: what stands from one place to another becomes something else."""

    file: str
    line: int
    start: int
    end: int
    text: str
    what: str


class Outcome(NamedTuple):
    mutant: Mutant
    difference: str
    killed_by: str | None
    seconds: float


def targets() -> list[Path]:
    """The files whose tests have to be good: the graph, who may do what, the store, SQL."""
    found = [path for part in ("access", "graph", "store", "sql") for path in (ROOT / SOURCE / part).rglob("*.py")]
    found += [ROOT / SOURCE / "ingest" / f"{name}.py" for name in INGEST]
    found += [ROOT / SOURCE / "api" / "authentication" / "authorize.py"]
    return sorted(path for path in found if path.is_file() and not set(path.parts) & set(SKIPPED))


def tests_of(file: str) -> list[tuple[str, ...]]:
    return next(tests for start, tests in TESTS.items() if file.startswith(start))


def mutants_of(path: Path) -> list[Mutant]:
    """Every change of a file that is worth trying."""
    source = path.read_text(encoding="utf-8")
    return list(_Finder(str(path.relative_to(ROOT)), source).found())


class _Finder:
    """Walks the tree of a file. Texts for people, annotations and what is only logged are left alone."""

    def __init__(self, file: str, source: str) -> None:
        self._file, self._source, self._tree = file, source, ast.parse(source)
        lines = source.encode().splitlines(keepends=True)
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))
        self._bytes = source.encode()

    def found(self) -> Iterator[Mutant]:
        yield from self._below(self._tree)

    def _below(self, node: ast.AST) -> Iterator[Mutant]:
        for name, value in ast.iter_fields(node):
            if name in _ASIDE or (name == "keywords" and isinstance(node, ast.ClassDef)):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not self._is_left_alone(child):
                    yield from self._of(child)
                    yield from self._below(child)

    def _is_left_alone(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom | ast.Assert | ast.AnnAssign) and not isinstance(
            getattr(node, "value", None), ast.AST
        ):
            return not isinstance(node, ast.Raise)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return True  # a docstring
        if isinstance(node, ast.Assign) and any(isinstance(at, ast.Name) and at.id == "__all__" for at in node.targets):
            return True
        if (
            node in self._tree.body
            and isinstance(node, ast.Assign)
            and not re.search("SELECT|WHERE", ast.unparse(node))
        ):
            return _is_figure(node.value)  # how much is remembered: one more or less means nothing
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return True
        return isinstance(node, ast.Expr) and ast.unparse(node).startswith(("_log.", "__all__"))

    def _of(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = self._text(node.left), self._text(node.comparators[0])
            yield self._change(node, f"{left} {_COMPARED[type(node.ops[0])]} {right}", "another comparison")
        elif isinstance(node, ast.BoolOp):
            word = " and " if isinstance(node.op, ast.And) else " or "
            values = [self._text(value) for value in node.values]
            yield self._change(node, f"({(' or ' if word == ' and ' else ' and ').join(values)})", "and for or")
            for place in range(len(values)):
                yield self._change(node, f"({word.join(values[:place] + values[place + 1 :])})", "a condition less")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield self._change(node, f"({self._text(node.operand)})", "no `not`")
        elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATED and not _is_text(node):
            left, right = self._text(node.left), self._text(node.right)
            yield self._change(node, f"{left} {_OPERATED[type(node.op)]} {right}", "another operator")
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            yield self._change(node.test, f"(not ({self._text(node.test)}))", "the opposite condition")
        elif isinstance(node, ast.Constant):
            yield from self._of_constant(node)
        elif isinstance(node, ast.Name) and node.id in _NAMED and isinstance(node.ctx, ast.Load):
            yield self._change(node, _NAMED[node.id], "another function")
        elif isinstance(node, ast.Call):
            yield from self._of_call(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield self._change(node, "pass", "a call less")
        elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            yield self._change(node, "return None", "nothing returned")
        elif isinstance(node, ast.Raise):
            yield self._change(node, "pass", "no error")
        elif isinstance(node, ast.Continue | ast.Break):
            yield self._change(node, "pass", "no way out of a loop")
        elif isinstance(node, ast.comprehension) and node.ifs:
            for condition in node.ifs:
                yield self._change(condition, f"(not ({self._text(condition)}))", "the opposite condition")
                yield self._change(condition, "True", "a condition less")

    def _of_constant(self, node: ast.Constant) -> Iterator[Mutant]:
        if node.value is True or node.value is False:
            yield self._change(node, str(not node.value), "another truth")
        elif isinstance(node.value, int):
            yield self._change(node, str(node.value + 1), "a greater number")
        elif isinstance(node.value, str) and re.search(r"\b(SELECT|WHERE|FROM|ORDER BY)\b", node.value):
            text = self._text(node)
            for said, other in _IN_SQL.items():
                for place in re.finditer(re.escape(said), text):
                    changed = text[: place.start()] + other + text[place.end() :]
                    yield self._change(node, changed, f"in SQL{said}becomes{other}")

    def _of_call(self, node: ast.Call) -> Iterator[Mutant]:
        """A condition of a query less, or a sort the other way round."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in ("where", "and_", "or_") and len(node.args) > 1:
            for place in range(len(node.args)):
                rest = [self._text(one) for one in node.args[:place] + node.args[place + 1 :]]
                yield self._change(node, f"{self._text(node.func)}({', '.join(rest)})", "a condition less")
        elif name == "where" and isinstance(node.func, ast.Attribute):
            yield self._change(node, self._text(node.func.value), "no condition")
        elif name in ("desc", "asc") and isinstance(node.func, ast.Attribute):
            other = "asc" if name == "desc" else "desc"
            yield self._change(node, f"{self._text(node.func.value)}.{other}()", "the other order")

    def _text(self, node: ast.AST) -> str:
        start, end = self._range(node)
        return self._bytes[start:end].decode()

    def _range(self, node: ast.AST) -> tuple[int, int]:
        start = self._starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        end = self._starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        return start, end

    def _change(self, node: ast.AST, text: str, what: str) -> Mutant:
        start, end = self._range(node)
        return Mutant(self._file, node.lineno, start, end, text, what)  # type: ignore[attr-defined]


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_figure(node: ast.AST) -> bool:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(isinstance(part, ast.BinOp | ast.UnaryOp) or _is_number(part) for part in parts)


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(isinstance(side, ast.JoinedStr | ast.List | ast.Tuple) or _is_string(side) for side in sides)


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def changed(source: bytes, mutant: Mutant) -> bytes | None:
    """The file with this change, if it is one and still is Python."""
    text = source[: mutant.start] + mutant.text.encode() + source[mutant.end :]
    try:
        same = ast.dump(ast.parse(text)) == ast.dump(ast.parse(source))
    except SyntaxError:
        return None
    return None if same else text


def sample(count: int, seed: int, only: list[str]) -> list[Mutant]:
    """So many of all changes; the same ones for the same seed and code. Each file counts by its changes."""
    every = [mutant for path in targets() for mutant in mutants_of(path)]
    every = [one for one in every if not only or any(one.file.startswith(start.rstrip("/")) for start in only)]
    random.Random(seed).shuffle(every)
    found: list[Mutant] = []
    for mutant in every:
        if len(found) == count:
            break
        if changed((ROOT / mutant.file).read_bytes(), mutant) is not None:
            found.append(mutant)
    return found


class Trial:
    """A copy of the tree in which changes are tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("src", "tests", "scripts", "docs", "bench"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md", "Makefile", "CONTRIBUTING.md", "CHANGELOG.md", "requirements.lock"):
            shutil.copy(ROOT / name, folder / name)
        self._usual: dict[tuple[str, ...], float] = {}

    def run(self, tests: tuple[str, ...], seconds: float) -> tuple[bool, str, float]:
        """Whether these tests pass, else which one failed first, and how long it took."""
        environment = {**os.environ, "PYTHONPATH": f"{self.folder / 'src'}{os.pathsep}{self.folder}"}
        command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--no-header", *tests]
        began = time.monotonic()
        process = subprocess.Popen(
            command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return False, f"no end within {seconds:.0f} seconds", time.monotonic() - began
        took = time.monotonic() - began
        if process.returncode == 0:
            return True, "", took
        failed = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
        return False, failed.group(1) if failed else output.strip().splitlines()[-1][:200], took

    def usual(self, tests: tuple[str, ...]) -> float:
        """How long these tests take on unchanged code, which they must pass."""
        if tests not in self._usual:
            passed, failed, took = self.run(tests, 1800)
            if not passed:
                raise SystemExit(f"{' '.join(tests)} fails without any change: {failed}")
            self._usual[tests] = took
        return self._usual[tests]

    def try_one(self, mutant: Mutant) -> Outcome:
        file = self.folder / mutant.file
        source, began = file.read_bytes(), time.monotonic()
        shown = difference(source, mutant)
        limits = [(tests, max(_SECONDS_AT_LEAST, 4 * self.usual(tests))) for tests in tests_of(mutant.file)]
        file.write_bytes(changed(source, mutant) or source)
        try:
            for tests, seconds in limits:
                passed, failed, _ = self.run(tests, seconds)
                if not passed:
                    return Outcome(mutant, shown, failed, time.monotonic() - began)
        finally:
            file.write_bytes(source)
        return Outcome(mutant, shown, None, time.monotonic() - began)


def difference(source: bytes, mutant: Mutant) -> str:
    before, after = source.decode().splitlines(), (changed(source, mutant) or source).decode().splitlines()
    lines = list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
    return "\n".join(f"    {line}" for line in lines)


def report(outcomes: list[Outcome], seed: int) -> dict[str, object]:
    survivors = [outcome for outcome in outcomes if outcome.killed_by is None]
    return {
        "seed": seed,
        "tried": len(outcomes),
        "killed": len(outcomes) - len(survivors),
        "share": round((len(outcomes) - len(survivors)) / len(outcomes), 3) if outcomes else None,
        "seconds": round(sum(outcome.seconds for outcome in outcomes)),
        "survivors": [{**one.mutant._asdict(), "difference": one.difference} for one in survivors],
        "killed_by": {f"{one.mutant.file}:{one.mutant.line} {one.mutant.what}": one.killed_by for one in outcomes},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60, help="how many changes to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="PATH", help="files or folders, repeatable")
    parser.add_argument("--json", type=Path, default=ROOT / "mutants.json", help="where the result is kept")
    parser.add_argument("--list", action="store_true", help="try nothing")
    given = parser.parse_args()
    chosen = sample(given.count, given.seed, given.only)
    if given.list:
        for mutant in chosen:
            print(
                f"{mutant.file}:{mutant.line}: {mutant.what}\n{difference((ROOT / mutant.file).read_bytes(), mutant)}"
            )
        return
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trial = Trial(Path(folder) / "tree")
        for number, mutant in enumerate(sorted(chosen), 1):
            outcomes.append(trial.try_one(mutant))
            word = outcomes[-1].killed_by or "SURVIVED\n" + outcomes[-1].difference
            print(f"{number}/{len(chosen)} {mutant.file}:{mutant.line}: {mutant.what}: {word}", flush=True)
            given.json.write_text(json.dumps(report(outcomes, given.seed), indent=1) + "\n")
    told = report(outcomes, given.seed)
    print(f"{told['killed']} of {told['tried']} killed ({told['share']}), seed {given.seed}; see {given.json}")


if __name__ == "__main__":
    main()
