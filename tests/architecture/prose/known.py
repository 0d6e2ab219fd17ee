"""What there is to be named: modules with their names, classes with their members, files, words."""

import ast
import fnmatch
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import PurePosixPath
from typing import Final

from tests.architecture.sources import EVERYTHING, PRODUCT, ROOT, sources

_OF_DJANGO: Final = {"id", "pk", "objects"}


@cache
def _modules() -> Mapping[str, ast.Module]:
    return {source.module: source.tree for source in sources()}


def _nodes() -> Iterator[ast.AST]:
    return chain.from_iterable(source.nodes() for source in sources())


@cache
def _packages() -> frozenset[str]:
    """Return every module, and every package above one."""
    return frozenset(
        str(parent).replace("/", ".")
        for module in _modules()
        for path in [PurePosixPath(module.replace(".", "/"))]
        for parent in (path, *path.parents)
    ) - {""}


@cache
def _classes() -> Mapping[str, list[ast.ClassDef]]:
    found: defaultdict[str, list[ast.ClassDef]] = defaultdict(list)
    for node in _nodes():
        if isinstance(node, ast.ClassDef):
            found[node.name].append(node)
    return found


@cache
def tests() -> frozenset[str]:
    """Return every function and module of the tests."""
    ours = [source for source in sources() if source.path.startswith("tests/")]
    functions = {node.name for source in ours for node in source.functions()}
    return frozenset(functions | {source.module.rpartition(".")[2] for source in ours})


@cache
def _words() -> frozenset[str]:
    """Return every text of the product: codes, actions and keys are named as they are."""
    return frozenset(
        node.value
        for source in sources(PRODUCT)
        for node in source.nodes()
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


@cache
def _annotated() -> Mapping[str, set[str]]:
    """Return the classes that fields and arguments of a name are said to be of."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for node in _nodes():
        name, kind = _annotation(node)
        if kind is not None:
            found[name] |= {part.id for part in ast.walk(kind) if isinstance(part, ast.Name)}
    return found


def _annotation(node: ast.AST) -> tuple[str, ast.expr | None]:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.annotation
    return (node.arg, node.annotation) if isinstance(node, ast.arg) else ("", None)


@cache
def _files() -> frozenset[str]:
    """Return every file that git knows or does not ignore, and every folder above one."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [PurePosixPath(line) for line in listed.splitlines()]
    return frozenset(str(part) for path in paths for part in (path, *path.parents))


@cache
def _folder_names() -> frozenset[str]:
    files = _files()
    return frozenset(PurePosixPath(path).parent.name for path in files) - {""}


@cache
def _ignored() -> tuple[str, ...]:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    return tuple(line.strip("/") for line in lines if line.startswith("/"))


def has_dotted(name: str, near: str) -> bool:
    """Tell whether a dotted name is something, as seen from a file.

    It begins with a package of ours; or with a module near the file, and then that one is meant; or
    with any module, class, field or argument of ours; or it is a text of the product, or a file.
    """
    head, *rest = name.split(".")
    if head in EVERYTHING:
        return _in_module(head, rest)
    around = [f"{parent.replace('/', '.')}.{head}" for parent in _parents(near)]
    closest = next((module for module in around if module in _packages()), None)
    if closest is not None and _in_module(closest, rest):
        return True
    if name in _words() or any(path.endswith(f"/{name}") or path == name for path in _files()):
        return True
    if closest is not None:
        return _in_a_class(head, rest)
    anywhere = (module for module in _packages() if module.rpartition(".")[2] == head)
    return any(_in_module(module, rest) for module in anywhere) or _in_a_class(head, rest)


def _in_a_class(head: str, rest: list[str]) -> bool:
    kinds = {head} | _annotated().get(head, set())
    return any(_in_class(node, rest) for kind in kinds for node in _classes().get(kind, ()))


def _parents(path: str) -> Iterator[str]:
    parents = (str(parent) for parent in PurePosixPath(path).parents)
    return (parent for parent in parents if parent not in (".", "docs"))


def _in_module(module: str, rest: list[str]) -> bool:
    if not rest:
        return module in _packages()
    if _in_module(f"{module}.{rest[0]}", rest[1:]):
        return True
    node = _globals(module).get(rest[0])
    if isinstance(node, ast.ImportFrom) and node.module in _packages():
        return _in_module(node.module, [_imported(node, rest[0]), *rest[1:]])
    if node is None or len(rest) == 1:
        return node is not None
    return _in_class(node, rest[1:]) if isinstance(node, ast.ClassDef) else True


def _imported(node: ast.ImportFrom, name: str) -> str:
    """Return what a name that a statement imports is called where it comes from."""
    return next(alias.name for alias in node.names if (alias.asname or alias.name) == name)


@cache
def _globals(module: str) -> Mapping[str, ast.AST]:
    tree = _modules().get(module)
    return _names(tree.body) if tree is not None else {}


def _in_class(node: ast.ClassDef, rest: list[str]) -> bool:
    first, *others = rest
    if not others:
        return first in _members(node)
    inner = _names(node.body).get(first)
    if isinstance(inner, ast.ClassDef):
        return _in_class(inner, others)
    kinds = _annotated().get(first, set()) if first in _members(node) else set()
    return any(_in_class(found, others) for kind in kinds for found in _classes().get(kind, ()))


@cache
def _members(node: ast.ClassDef, seen: frozenset[str] = frozenset()) -> set[str]:
    """Return what objects of a class have, inherited or set on `self` included."""
    found = {*_names(node.body), *_OF_DJANGO}
    for part in ast.walk(node):
        match part:
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                found.add(name)
            case _:
                pass
    for base in (ast.unparse(part).rpartition(".")[2] for part in node.bases):
        if base not in seen:
            for parent in _classes().get(base, ()):
                found |= _members(parent, seen | {base})
    return found


def _names(body: Iterable[ast.AST]) -> dict[str, ast.AST]:
    """Return what statements bind."""
    found: dict[str, ast.AST] = {}
    for node in body:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                found[name] = node
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {alias.asname or alias.name.partition(".")[0]: node for alias in names}
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                stored = (part for part in ast.walk(node) if isinstance(part, ast.Name))
                found |= {part.id: node for part in stored if isinstance(part.ctx, ast.Store)}
            case _:
                found |= _names(ast.iter_child_nodes(node)) if isinstance(node, ast.stmt) else {}
    return found


def has_path(name: str) -> bool:
    """Tell whether a path is a file or folder, from the root or as the end of one.

    `<name>` and `*` stand for anything, a module may go without `.py` and a record of a decision by
    its number. What begins with no folder of ours is a path elsewhere, and not looked for.
    """
    path, _, test = name.partition("::")
    wanted = path.rstrip("/.").replace("…", "*")
    wanted = "/".join("*" if "<" in part else part for part in wanted.split("/"))
    if test and test not in tests():
        return False
    if wanted.partition("/")[0] not in _folder_names() or wanted.startswith(_ignored()):
        return True
    ends = [wanted, f"{wanted}.py", f"{wanted}-*.md"]
    return any(fnmatch.fnmatchcase(path, end) for end in ends for path in _ends_of_files(end))


@cache
def _ends_of_files(pattern: str) -> tuple[str, ...]:
    """Return the ends of all paths that have as many parts as a pattern."""
    parts = pattern.count("/") + 1
    return tuple({"/".join(path.split("/")[-parts:]) for path in _files()})
