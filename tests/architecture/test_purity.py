"""The cores decide on their arguments alone, in exact numbers and exact types.

That they import no clock, no randomness and no I/O is a contract in `.importlinter`.
"""

import ast

from portal.common.work_kinds import KINDS
from tests.architecture.sources import PRODUCT, cores, sources


def test_cores_know_no_any() -> None:
    found = [
        f"{source.path}:{node.lineno}"
        for source in cores()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Name) and node.id == "Any"
    ]

    assert found == []


def test_cores_know_no_floats() -> None:
    """`/` and float literals round; sums of resources and times must be exact."""
    found = [
        f"{source.path}:{node.lineno}"
        for source in cores()
        for node in ast.walk(source.tree)
        if (isinstance(node, ast.Constant) and isinstance(node.value, float))
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
        or (isinstance(node, ast.Name) and node.id == "float")
    ]

    assert found == []


def test_cores_ask_nobody_for_the_time() -> None:
    """No `now()` and no `datetime`: every moment is an argument."""
    found = [
        f"{source.path}:{node.lineno}"
        for source in cores()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name | ast.Attribute)
        and (node.func.id if isinstance(node.func, ast.Name) else node.func.attr)
        in {"now", "time", "monotonic", "today", "utcnow"}
    ]

    assert found == []


def test_the_scheduler_knows_traits_of_work_instead_of_names() -> None:
    found = [
        f"{source.path}:{node.lineno}"
        for source in sources(PRODUCT)
        if source.path.startswith(("scheduler/core/", "scheduler/runtime/"))
        for node in source.nodes()
        if isinstance(node, ast.Constant) and node.value in KINDS
    ]

    assert found == []
