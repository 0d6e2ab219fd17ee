"""A function fits on a screen, a file is one subject."""

import ast
from typing import Final

from tests.architecture.sources import sources

FUNCTION_MAX: Final = 60
FILE_MAX: Final = 500
CLASS_MAX: Final = 250
LARGER_MAX: Final = 400
LARGER: Final = {
    "AgentRunner",
    "ContainerTasks",
    "Host",  # of the simulation
    "Ledger",
    "Platform",  # of the tests of faults
    "PoolMatrix",
    "PoolTimeline",
    "QuotaBook",
    "Server",  # of the simulation
    "Workload",
    "World",  # of the simulation
    "_EvictionPlanner",
    "_Player",  # of the tests of promises
}
"""Classes that were larger when the limit came; a name goes when its class is split."""


def test_no_function_is_longer_than_a_screen() -> None:
    found = [
        f"{source.path}:{function.lineno} {function.name} has {lines} lines"
        for source in sources()
        for function in source.functions()
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_MAX
    ]

    assert found == []


def test_no_class_is_longer_than_a_subject() -> None:
    found = {
        f"{source.path}:{node.lineno} {node.name} has {lines} lines"
        for source in sources()
        for node in source.nodes()
        if isinstance(node, ast.ClassDef)
        if (lines := (node.end_lineno or 0) - node.lineno + 1)
        > (LARGER_MAX if node.name in LARGER else CLASS_MAX)
    }

    assert found == set()


def test_no_file_is_longer_than_five_hundred_lines() -> None:
    found = [
        f"{source.path} has {lines} lines"
        for source in sources()
        if (lines := source.text.count("\n")) > FILE_MAX
    ]

    assert found == []
