"""The names of a function, and what its expressions are.

Annotations are complete (mypy, strict), so that following them, and the few ways in which rows are
made and looped over, is enough. What cannot be followed is None; whoever needs it fails then.
"""

import ast
import builtins
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final

from tests.architecture.sources import Source
from tests.architecture.writers.annotations import Function, annotation, classes, loaded, made_by
from tests.architecture.writers.kinds import (
    Many,
    Named,
    Pairs,
    Row,
    Rows,
    Several,
    Thing,
    Type,
    best,
    column_of,
    element,
    is_model,
    of_object,
    rows_of,
)

ONE: Final = {
    *("get", "first", "last", "earliest", "latest", "create", "aget", "afirst", "acreate"),
    *("create_user", "create_superuser"),
}
ONE_AND_WHETHER: Final = {"get_or_create", "update_or_create"}
NOT_ROWS: Final = {"count", "exists", "aggregate", "update", "delete", "bulk_update"}
_SAME: Final = {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "chain"}
_ONE_OF: Final = {"next", "min", "max"}


@dataclass
class Scope:
    """The names of one function, or of a module outside of functions."""

    module: ModuleType
    outer: "Scope | None" = None
    literals: dict[str, ast.Dict] = field(default_factory=dict)
    """Dictionaries that are written out, and the names of their keys in loops over them."""
    _names: dict[str, list[Type]] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Source, node: Function, owner: str, outer: "Scope | None") -> "Scope":
        """Return what the names of a function are; `owner` is the class of a method."""
        module = loaded(source.module)
        scope = cls(module, outer)
        scope.bind_arguments(node, getattr(module, owner, None) if owner else None)
        for _ in range(2):  # a name may be bound below its use
            scope.read(node.body)
        return scope

    def bind_arguments(self, node: Function, owner: Any) -> None:
        """Note what the arguments of a function are."""
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        for argument in arguments:
            self.bind(argument.arg, annotation(argument.annotation, self.module))
        if owner is not None and arguments:
            first = Row(owner) if is_model(owner) else Thing(owner)
            self._names[arguments[0].arg] = [Named(owner) if arguments[0].arg == "cls" else first]

    def bind(self, name: str, kind: Type) -> None:
        """Note what a name may be."""
        if kind is not None and kind not in self._names.setdefault(name, []):
            self._names[name].append(kind)

    def read(self, body: Iterable[ast.AST]) -> None:
        """Note what the statements of a function bind."""
        for node in (found for statement in body for found in ast.walk(statement)):
            match node:
                case ast.Assign():
                    for target in node.targets:
                        self._bind_target(target, self.infer(node.value))
                        self._note_literal(target, node.value)
                case ast.AnnAssign():
                    self._bind_target(node.target, annotation(node.annotation, self.module))
                case ast.For() | ast.AsyncFor() | ast.comprehension():
                    self._bind_target(node.target, element(self.infer(node.iter)))
                    self._note_keys(node.target, node.iter)
                case ast.NamedExpr():
                    self._bind_target(node.target, self.infer(node.value))
                case _:
                    pass

    def _bind_target(self, target: ast.expr, kind: Type) -> None:
        if isinstance(target, ast.Name):
            self.bind(target.id, kind)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = kind.of if isinstance(kind, Several) else ()
            for part, of_part in zip(target.elts, parts, strict=False):
                self._bind_target(part, of_part)

    def _note_literal(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name) and isinstance(value, ast.Dict):
            self.literals[target.id] = value

    def _note_keys(self, target: ast.expr, over: ast.expr) -> None:
        match target, over:
            case (
                ast.Tuple(elts=[ast.Name(id=key), _]),
                ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="items")),
            ) if name in self.literals:
                self.literals[key] = self.literals[name]
            case _:
                pass

    def infer(self, node: ast.expr) -> Type:
        """Return what an expression is."""
        reader = _READERS.get(type(node))
        return reader(self, node) if reader else None

    def name(self, node: ast.Name) -> Type:
        """Return what a name stands for, here, around here, in the module or in Python."""
        if known := self._names.get(node.id):
            return best(known)
        if self.outer is not None:
            return self.outer.name(node)
        if hasattr(self.module, node.id):
            return of_object(getattr(self.module, node.id))
        return of_object(getattr(builtins, node.id, None))

    def attribute(self, node: ast.Attribute) -> Type:
        """Return what a thing has under a name."""
        kind = self.infer(node.value)
        match kind:
            case Row(model):
                return column_of(model, node.attr) or member_of(model, node.attr)
            case Rows():
                return kind
            case Named(what) if is_model(what) and node.attr in ("objects", "_default_manager"):
                return rows_of(what)
            case Named(what):
                return of_object(getattr(what, node.attr, None))
            case Thing(what):
                return member_of(what, node.attr)
            case _:
                return None

    def call(self, node: ast.Call) -> Type:
        """Return what a call returns."""
        if isinstance(node.func, ast.Attribute):
            owner = self.infer(node.func.value)
            if isinstance(owner, Rows):
                return _asked(owner, node.func.attr)
            if isinstance(owner, Pairs):
                return _of_mapping(owner, node.func.attr)
        called = self.infer(node.func)
        if not isinstance(called, Named):
            return None
        name = getattr(called.what, "__name__", "")
        if getattr(builtins, name, None) is called.what or name == "chain":
            return self._builtin(name, [element(self.infer(part)) for part in node.args])
        return made_by(called.what)

    @staticmethod
    def _builtin(name: str, of: list[Type]) -> Type:
        if name in _SAME and of:
            return Many(of[0])
        if name in _ONE_OF and of:
            return of[0]
        if name == "enumerate":
            return Many(Several((None, of[0])))
        return Many(Several(tuple(of))) if name == "zip" else Thing(getattr(builtins, name, None))

    def part(self, node: ast.Subscript) -> Type:
        """Return what stands in brackets."""
        kind = self.infer(node.value)
        if isinstance(node.slice, ast.Slice):
            return kind
        return kind.value if isinstance(kind, Pairs) else element(kind)

    def any_of(self, parts: Iterable[ast.expr]) -> Type:
        """Return what one of several expressions is."""
        return best(self.infer(part) for part in parts)


_READERS: Final[dict[type[ast.expr], Callable[[Scope, Any], Type]]] = {
    ast.Name: Scope.name,
    ast.Attribute: Scope.attribute,
    ast.Call: Scope.call,
    ast.Subscript: Scope.part,
    ast.BoolOp: lambda scope, node: scope.any_of(node.values),
    ast.IfExp: lambda scope, node: scope.any_of((node.body, node.orelse)),
    ast.ListComp: lambda scope, node: Many(scope.infer(node.elt)),
    ast.SetComp: lambda scope, node: Many(scope.infer(node.elt)),
    ast.GeneratorExp: lambda scope, node: Many(scope.infer(node.elt)),
    ast.DictComp: lambda scope, node: Pairs(scope.infer(node.key), scope.infer(node.value)),
    ast.List: lambda scope, node: Many(scope.any_of(node.elts)),
    ast.Set: lambda scope, node: Many(scope.any_of(node.elts)),
    ast.Tuple: lambda scope, node: Several(tuple(map(scope.infer, node.elts))),
    ast.Dict: lambda scope, node: Pairs(None, scope.any_of(node.values)),
    ast.Await: lambda scope, node: scope.infer(node.value),
    ast.Starred: lambda scope, node: scope.infer(node.value),
    ast.NamedExpr: lambda scope, node: scope.infer(node.value),
}


def member_of(kind: Any, name: str) -> Type:
    """Return what an object of a class has under a name: as annotated, or set by its constructor."""
    for base in inspect.getmro(kind) if inspect.isclass(kind) else ():
        node = classes().get((base.__module__, base.__name__))
        found = _declared(node, base, name) if node else None
        if found is not None:
            return found
    held = inspect.getattr_static(kind, name, None)
    return Named(held) if inspect.isroutine(held) else None


def _declared(node: ast.ClassDef, owner: Any, name: str) -> Type:
    module = loaded(owner.__module__)
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and ast.unparse(part.target) == name:
            return annotation(part.annotation, module)
        if isinstance(part, Function) and part.name == name:
            is_value = any("property" in ast.unparse(mark) for mark in part.decorator_list)
            return annotation(part.returns, module) if is_value else Named(getattr(owner, name))
    constructors = (part for part in node.body if isinstance(part, Function))
    return best(_set_by(part, owner, name) for part in constructors if part.name == "__init__")


def _set_by(init: Function, owner: Any, name: str) -> Type:
    scope = Scope(loaded(owner.__module__))
    scope.bind_arguments(init, owner)
    for node in ast.walk(init):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == f"self.{name}":
            return annotation(node.annotation, scope.module)
        if isinstance(node, ast.Assign) and f"self.{name}" in map(ast.unparse, node.targets):
            return scope.infer(node.value)
    return None


def _asked(rows: Rows, method: str) -> Type:
    """Return what a method of a manager or query returns."""
    if method in ONE:
        return Row(rows.model)
    if method in ONE_AND_WHETHER:
        return Several((Row(rows.model), Thing(bool)))
    if method == "in_bulk":
        return Pairs(None, Row(rows.model))
    return Thing(int) if method in NOT_ROWS else rows


def _of_mapping(pairs: Pairs, method: str) -> Type:
    match method:
        case "values":
            return Many(pairs.value)
        case "items":
            return Many(Several((pairs.key, pairs.value)))
        case "keys":
            return Many(pairs.key)
        case "get" | "pop" | "setdefault":
            return pairs.value
        case _:
            return None
