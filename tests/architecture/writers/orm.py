"""Writes by Django: calls on managers, queries, rows and relations, and assignments to columns."""

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from tests.architecture.sources import Source
from tests.architecture.writers.annotations import Function, loaded
from tests.architecture.writers.found import ANY, Found, Unclear, Write
from tests.architecture.writers.kinds import Named, Row, Rows
from tests.architecture.writers.scope import Scope

BY_ROW: Final = {"save", "asave", "delete", "adelete", "save_base"}
BY_ROWS: Final = {
    *("create", "acreate", "create_user", "create_superuser", "bulk_create", "abulk_create"),
    *("get_or_create", "aget_or_create", "update_or_create", "aupdate_or_create"),
    *("update", "aupdate", "delete", "adelete", "bulk_update", "abulk_update", "_raw_delete"),
}
BY_RELATION: Final = {"add", "aadd", "remove", "aremove", "set", "aset", "clear", "aclear"}
NOT_COLUMNS: Final = {"update_fields", "force_insert", "ignore_conflicts", "using", "defaults"}


def writes_by_models(source: Source) -> Iterator[Found]:
    """Yield the writes of a module through its models; a call on what is not known is unclear."""
    yield from _inside(source, source.tree.body, "")


def _inside(source: Source, body: list[ast.stmt], owner: str) -> Iterator[Found]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _inside(source, node.body, node.name)
        elif isinstance(node, Function):
            yield from _of_function(source, node, owner, None)
        elif nodes := _that_may_write([node]):
            yield from _of_nodes(source, nodes, Scope(loaded(source.module)))


def _of_function(
    source: Source, function: Function, owner: str, outer: Scope | None
) -> Iterator[Found]:
    inner = [node for node in function.body if isinstance(node, Function)]
    nodes = _that_may_write(node for node in function.body if node not in inner)
    if not nodes and not inner:
        return
    scope = Scope.of(source, function, owner, outer)
    yield from _of_nodes(source, nodes, scope)
    for node in inner:
        yield from _of_function(source, node, "", scope)


def _that_may_write(body: Iterable[ast.AST]) -> list[ast.AST]:
    """Return the calls and assignments that may be writes by their form; few are."""
    return [node for statement in body for node in ast.walk(statement) if _may_write(node)]


def _may_write(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in BY_ROW | BY_ROWS | BY_RELATION or name[0].isupper()
        case ast.Call(func=ast.Name(id=name)):
            return name == "setattr" or name.lstrip("_")[:1].isupper()
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            return any(
                isinstance(part, ast.Attribute) for whole in targets for part in ast.walk(whole)
            )
        case _:
            return False


def _of_nodes(source: Source, nodes: Iterable[ast.AST], scope: Scope) -> Iterator[Found]:
    for node in nodes:
        if isinstance(node, ast.Call):
            yield from _of_call(source, node, scope)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            yield from _of_assignment(source, node, scope)


def _of_call(source: Source, node: ast.Call, scope: Scope) -> Iterator[Found]:
    called = scope.infer(node.func)
    if isinstance(called, Named) and isinstance(called.what, type):
        made = scope.infer(node)
        if isinstance(made, Row):
            yield Write(
                made.model._meta.db_table,
                source.module,
                node.lineno,
                frozenset(_keywords(node, scope)),
                is_saved=False,
            )
    if isinstance(node.func, ast.Name) and node.func.id == "setattr":
        yield from _of_setattr(source, node, scope)
    if isinstance(node.func, ast.Attribute):
        on = scope.infer(node.func.value)
        name = node.func.attr
        columns = _keywords(node, scope)
        match on:
            case Row(model) if name in BY_ROW:
                yield Write(
                    model._meta.db_table,
                    source.module,
                    node.lineno,
                    frozenset(columns),
                    is_saved=True,
                )
            case Rows(_, table) if name in BY_ROWS | BY_RELATION:
                yield Write(table, source.module, node.lineno, frozenset(columns), is_saved=True)
            case None if _must_be_known(node, name):
                yield Unclear(source.module, node.lineno, ast.unparse(node.func))
            case _:
                pass


def _must_be_known(node: ast.Call, name: str) -> bool:
    """Tell whether a call on something unknown may be a write: only queries update by keywords."""
    if name in ("update", "aupdate"):
        return not node.args and bool(node.keywords)
    return name in BY_ROW | BY_ROWS


def _of_setattr(source: Source, node: ast.Call, scope: Scope) -> Iterator[Found]:
    on = scope.infer(node.args[0])
    if isinstance(on, Row):
        name = node.args[1]
        columns = {str(name.value)} if isinstance(name, ast.Constant) else _keys(name, scope)
        table = on.model._meta.db_table
        yield Write(table, source.module, node.lineno, frozenset(columns), is_saved=False)


def _of_assignment(
    source: Source, node: ast.Assign | ast.AugAssign | ast.AnnAssign, scope: Scope
) -> Iterator[Found]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in (part for whole in targets for part in ast.walk(whole)):
        if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store):
            on = scope.infer(target.value)
            if isinstance(on, Row):
                yield Write(
                    on.model._meta.db_table,
                    source.module,
                    node.lineno,
                    frozenset({target.attr}),
                    is_saved=False,
                )
            elif on is None and target.attr in ("state", "phase"):
                yield Unclear(source.module, node.lineno, ast.unparse(target))


def _keywords(node: ast.Call, scope: Scope) -> set[str]:
    """Return the columns that a call names: its keywords, those of `defaults`, a list of names."""
    found: set[str] = set()
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg == "defaults":
            found |= _keys(keyword.value, scope)
        elif keyword.arg not in NOT_COLUMNS:
            found.add(keyword.arg)
    return found


def _keys(node: ast.expr, scope: Scope) -> set[str]:
    if isinstance(node, ast.Dict):
        return {
            key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ANY
            for key in node.keys
        }
    if isinstance(node, ast.Name) and (literal := scope.literals.get(node.id)) is not None:
        return _keys(literal, scope)
    return {ANY}
