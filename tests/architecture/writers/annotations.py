"""What annotations, columns and methods say about the things that they belong to."""

import ast
import importlib
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any, Final, TypeAlias

from django.db.models import Model

from tests.architecture.sources import sources
from tests.architecture.writers.kinds import (
    Many,
    Named,
    Pairs,
    Row,
    Several,
    Thing,
    Type,
    best,
    rows_of,
)

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_MAPPINGS: Final = {"dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"}
_LOOPS: Final = {
    *("Iterable", "Iterator", "Sequence", "Collection", "Set", "list", "set", "frozenset"),
    *("Generator", "MutableSequence", "AbstractSet", "deque", "AsyncIterator"),
}


@cache
def _functions() -> Mapping[tuple[str, str], Function]:
    """Return every function of the product by its module and qualified name."""
    found = {}
    for source in sources():
        for name, node in _qualified(source.tree.body, ""):
            found[source.module, name] = node
    return found


def _qualified(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, Function):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _qualified(node.body, f"{prefix}{node.name}.")


@cache
def classes() -> Mapping[tuple[str, str], ast.ClassDef]:
    return {
        (source.module, node.name): node
        for source in sources()
        for node in source.tree.body
        if isinstance(node, ast.ClassDef)
    }


def loaded(module: str) -> ModuleType:
    """Return a module of the product, imported."""
    return importlib.import_module(module)


def annotation(node: ast.expr | None, module: ModuleType) -> Type:
    """Return what an annotation of a module says."""
    match node:
        case ast.Constant(value=str() as text):
            return annotation(ast.parse(text, mode="eval").body, module)
        case ast.BinOp():
            return best(annotation(part, module) for part in (node.left, node.right))
        case ast.Subscript():
            return _generic(node, module)
        case ast.Name() | ast.Attribute():
            what = _object(node, module)
            if what in (Any, object) or not inspect.isclass(what):
                return None
            return Row(what) if issubclass(what, Model) else Thing(what)
        case _:
            return None


def _generic(node: ast.Subscript, module: ModuleType) -> Type:
    name = ast.unparse(node.value).rpartition(".")[2]
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    of = tuple(annotation(part, module) for part in parts)
    if name in ("QuerySet", "Manager") and isinstance(of[0], Row):
        return rows_of(of[0].model)
    if name in _MAPPINGS:
        return Pairs(of[0], of[1])
    if name == "tuple":
        is_open = isinstance(parts[-1], ast.Constant) and parts[-1].value is Ellipsis
        return Many(of[0]) if is_open else Several(of)
    if name in _LOOPS:
        return Many(of[0])
    if name == "type":
        return Named(of[0].model if isinstance(of[0], Row) else None)
    return best(of) if name in ("Optional", "Final", "Annotated", "ClassVar") else None


def _object(node: ast.expr, module: ModuleType) -> Any:
    if isinstance(node, ast.Name):
        return getattr(module, node.id, None)
    if isinstance(node, ast.Attribute):
        return getattr(_object(node.value, module), node.attr, None)
    return None


def made_by(what: Any) -> Type:
    """Return what calling a class or a function of the product returns."""
    if inspect.isclass(what):
        return Row(what) if issubclass(what, Model) else Thing(what)
    found = inspect.unwrap(what)
    key = (getattr(found, "__module__", "") or "", getattr(found, "__qualname__", ""))
    node = _functions().get(key)
    return annotation(node.returns, loaded(key[0])) if node else None
