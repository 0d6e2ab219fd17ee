"""What is changed in a rule: one comparison, boundary, and/or, sign or early return at a time."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Final

ROOT: Final = Path(__file__).parents[3]
CORE: Final = ROOT / "scheduler" / "core"

Function = ast.FunctionDef | ast.AsyncFunctionDef

COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
"""Boundaries move by one; what has none is turned round."""
ARITHMETIC: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
CALLS: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one rule; its key outlives edits elsewhere in the module."""

    module: str
    """As `quotas/aside.py`."""
    function: str
    """As `AsideTable.kept_from`: the outermost function that contains the change."""
    words: str
    """As `a < b -> a <= b`, numbered where a function says so twice."""
    code: CodeType = field(compare=False, repr=False)
    """The function with the change."""

    @property
    def key(self) -> str:
        """Return what the change is called in the list of survivors."""
        return f"{self.function}: {self.words}"


def changes_of_core(modules: frozenset[str] = frozenset()) -> Iterator[Change]:
    """Yield every change of these modules, or of all."""
    for path in sorted(CORE.rglob("*.py")):
        module = path.relative_to(CORE).as_posix()
        if not modules or module in modules:
            yield from changes_of(path.read_text(encoding="utf-8"), module, str(path))


def changes_of(text: str, module: str, filename: str = "") -> Iterator[Change]:
    """Yield every change of the functions of a module."""
    tree = ast.parse(text)
    for name, function in _functions(tree):
        seen: Counter[str] = Counter()
        for words in _change_in_turn(function):
            seen[words] += 1
            numbered = words if seen[words] == 1 else f"{words} ({seen[words]})"
            yield Change(module, name, numbered, _compile(function, name, filename or module))


def _functions(tree: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield functions and methods that are not inside another."""
    for node in tree.body:
        if isinstance(node, Function):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")


def _compile(function: Function, name: str, filename: str) -> CodeType:
    """Compile one function as it stands in its classes."""
    *classes, _ = name.split(".")
    inside: ast.stmt = function
    for each in reversed(classes):
        inside = ast.ClassDef(each, bases=[], keywords=[], body=[inside], decorator_list=[])
        ast.copy_location(inside, function)
    module = ast.Module([inside], type_ignores=[])
    code = compile(module, filename, "exec", dont_inherit=True)
    for part in name.split("."):
        code = next(
            each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == part
        )
    return code


def _change_in_turn(function: Function) -> Iterator[str]:
    """Change the body at one place after the other; each is undone when the next is asked for."""
    for statement in function.body:
        for node in _decisive(statement):
            yield from _change_node(node)


def _decisive(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes by which something is decided: not annotations, messages and errors."""
    if isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr)):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _decisive(child)


def _change_node(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Compare():
            yield from _compare_otherwise(node)
        case ast.BoolOp():
            yield from _swap(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.BinOp() | ast.AugAssign() if type(node.op) in ARITHMETIC:
            yield from _swap(node, "op", ARITHMETIC[type(node.op)]())
        case ast.UnaryOp(op=ast.USub()):
            yield from _swap(node, "op", ast.UAdd())
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            yield from _swap(node, "func", ast.Name(CALLS[name], ast.Load()))
        case ast.If() if _leaves_early(node):
            yield from _never(node)
        case ast.If(test=ast.UnaryOp(op=ast.Not())) | ast.IfExp(test=ast.UnaryOp(op=ast.Not())):
            yield from _affirm(node)
        case _:
            pass


def _compare_otherwise(node: ast.Compare) -> Iterator[str]:
    for place, operator in enumerate(node.ops):
        if changed := COMPARISONS.get(type(operator)):
            before = ast.unparse(node)
            node.ops[place] = changed()
            yield f"{before} -> {ast.unparse(node)}"
            node.ops[place] = operator


def _swap(node: ast.AST, name: str, changed: ast.AST, of: ast.AST | None = None) -> Iterator[str]:
    """Put another value in a field of a node, for as long as nobody asks on."""
    kept, before = getattr(node, name), ast.unparse(of or node)
    vars(node)[name] = ast.fix_missing_locations(ast.copy_location(changed, node))
    yield f"{before} -> {ast.unparse(changed if of else node)}"
    vars(node)[name] = kept


def _never(node: ast.If) -> Iterator[str]:
    kept = node.test
    node.test = ast.copy_location(ast.Constant(value=False), kept)
    yield f"if {ast.unparse(kept)}: {ast.unparse(node.body[-1])} -> never"
    node.test = kept


def _affirm(node: ast.If | ast.IfExp) -> Iterator[str]:
    """Take the `not` of a condition away."""
    kept = node.test
    if isinstance(kept, ast.UnaryOp):
        yield from _swap(node, "test", kept.operand, of=kept)


def _leaves_early(node: ast.If) -> bool:
    return not node.orelse and isinstance(node.body[-1], (ast.Return, ast.Continue, ast.Break))
