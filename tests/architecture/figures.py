"""`python -m tests.architecture.figures [ROOT]`: the figures of the house, measured from its files.

Reads Python by `ast` and TypeScript by lines; migrations and generated files are left out. ROOT is
another checkout to measure, such as an older one; without it, this one.
"""

import ast
import re
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.architecture.sources import PRODUCT, ROOT, Source, read_sources

PARTS: Final = (
    ("product", ("portal", "scheduler", "nodeagent", "wire")),
    ("portal", ("portal",)),
    ("scheduler/core", ("scheduler/core",)),
    (
        "scheduler, rest",
        ("scheduler/runtime", "scheduler/forecast", "scheduler/scaling", "scheduler/whatif"),
    ),
    ("nodeagent", ("nodeagent",)),
    ("tests", ("tests",)),
)
CRUMB_LINES: Final = 60
SUPPRESSION: Final = re.compile(r"# (?:noqa|type: ignore|pragma)")
BROAD: Final = re.compile(r"except (?:Base)?Exception\b")
CORE_TESTS: Final = ("tests/scheduler", "tests/simulation", "tests/invariants")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Part:
    """Sizes of the functions of one part of the tree."""

    name: str
    files: int
    lines: int
    lengths: tuple[int, ...]
    """Lines of each function, ascending."""
    documented_pct: int
    """Of public functions."""
    comments: float
    """Per 100 lines."""

    def quantile(self, share: float) -> int:
        """Return the length below which this share of the functions is."""
        return self.lengths[min(len(self.lengths) - 1, int(share * len(self.lengths)))]


def measure_part(name: str, files: Sequence[Source]) -> Part:
    """Return the sizes of these files."""
    functions = [node for file in files for node in file.functions()]
    public = [node for node in functions if not node.name.startswith("_")]
    lines = sum(file.text.count("\n") for file in files)
    comments = sum(
        1 for file in files for line in file.text.splitlines() if line.lstrip().startswith("#")
    )
    return Part(
        name,
        files=len(files),
        lines=lines,
        lengths=tuple(sorted(map(lines_of, functions))),
        documented_pct=100 * sum(1 for node in public if ast.get_docstring(node)) // len(public),
        comments=100 * comments / lines,
    )


def lines_of(function: Function) -> int:
    """Return how many lines a function has, its decorators left out."""
    return (function.end_lineno or 0) - function.lineno + 1


def repeated_classes(files: Iterable[Source]) -> dict[str, list[str]]:
    """Return every class name that stands in more than one module, with these modules.

    `Meta` and `Command` are Django's own idioms; a class inside another one counts too.
    """
    found: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        names = {node.name for node in ast.walk(file.tree) if isinstance(node, ast.ClassDef)}
        for name in names - {"Meta", "Command"}:
            found[name].append(file.module)
    return {name: places for name, places in sorted(found.items()) if len(places) > 1}


def crumbs(files: Sequence[Source]) -> list[str]:
    """Return the modules of at most `CRUMB_LINES` lines that exactly one other module imports."""
    modules = {file.module: file for file in files}
    importers = Counter(name for file in files for name in set(_imported(file, modules)))
    return sorted(
        module
        for module, file in modules.items()
        if file.text.count("\n") <= CRUMB_LINES
        and importers[module] == 1
        and not file.path.endswith(("__init__.py", "urls.py", "apps.py", "models.py"))
    )


def _imported(file: Source, modules: Iterable[str]) -> Iterator[str]:
    for node in ast.walk(file.tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in modules else node.module


def frontend_lengths(root: Path) -> list[int]:
    """Return the lines of every hand-written TypeScript file of the pages, tests left out."""
    return sorted(
        path.read_text(encoding="utf-8").count("\n")
        for pattern in ("*.ts", "*.tsx")
        for path in (root / "frontend" / "src").rglob(pattern)
        if ".gen." not in path.name and ".test." not in path.name and "testing" not in path.parts
    )


def report(root: Path) -> Iterator[str]:
    """Yield the tables, line by line."""
    yield "| part | files | lines | functions | median / p90 / p99 / max | public documented | comments per 100 |"
    yield "|---|---|---|---|---|---|---|"
    for name, folders in PARTS:
        part = measure_part(name, read_sources(folders, root))
        sizes = " / ".join(str(part.quantile(share)) for share in (0.5, 0.9, 0.99, 1))
        yield (
            f"| {part.name} | {part.files} | {part.lines:,} | {len(part.lengths):,} | {sizes} "
            f"| {part.documented_pct} % | {part.comments:.1f} |"
        )
    yield ""
    yield from _single_figures(root)


def _single_figures(root: Path) -> Iterator[str]:
    product = read_sources(PRODUCT, root)
    full = [file for file in product if file.text.strip()]
    sizes = sorted(file.text.count("\n") for file in full)
    longest = max(full, key=lambda file: file.text.count("\n"))
    core = sum(file.text.count("\n") for file in read_sources(("scheduler/core",), root))
    tests = sum(file.text.count("\n") for file in read_sources(CORE_TESTS, root))
    pages = frontend_lengths(root)
    yield "| figure | value |"
    yield "|---|---|"
    yield f"| product files that are not empty; median lines | {len(full)}; {statistics.median(sizes):.0f} |"
    yield f"| longest file | {longest.path}, {sizes[-1]} lines |"
    yield f"| class names that stand twice or more | {len(repeated_classes(product))} |"
    yield f"| modules of ≤ {CRUMB_LINES} lines with one importer | {len(crumbs(product))} |"
    yield f"| suppressions | {_count(product, SUPPRESSION)} |"
    yield f"| broad `except` | {_count(product, BROAD)} |"
    yield f"| lines of `scheduler/core`; of its tests; ratio | {core:,}; {tests:,}; {tests / core:.2f} |"
    yield f"| pages: hand-written files; median lines | {len(pages)}; {statistics.median(pages):.0f} |"


def _count(files: Iterable[Source], pattern: re.Pattern[str]) -> int:
    return sum(len(pattern.findall(file.text)) for file in files)


if __name__ == "__main__":
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    sys.stdout.write("\n".join(report(root)) + "\n")
