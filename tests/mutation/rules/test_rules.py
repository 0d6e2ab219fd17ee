"""The run over the core's rules works: what it changes, that a change decides, and that tables notice.

All changes run by `make mutate`; here only those of one small module.
"""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from redis import Redis

from scheduler.core.ordering.job_order import service_level
from tests.mutation.rules import survivors
from tests.mutation.rules.changes import ROOT, Change, changes_of, changes_of_core
from tests.mutation.rules.run import find_function, put_in_place

CHANGES: dict[str, tuple[str, list[str]]] = {
    "a boundary moves by one": ("return a < b", ["a < b -> a <= b"]),
    "the other boundaries": (
        "return a >= b, a <= c, a > c",
        ["a >= b -> a > b", "a <= c -> a < c", "a > c -> a >= c"],
    ),
    "each part of a chain": (
        "return a < b < c",
        ["a < b < c -> a <= b < c", "a < b < c -> a < b <= c"],
    ),
    "what has no boundary is turned round": (
        "return a == b, a is not b, a in c",
        ["a == b -> a != b", "a is not b -> a is b", "a in c -> a not in c"],
    ),
    "and becomes or": ("return a and b", ["a and b -> a or b"]),
    "a sign": ("return a + b * c", ["a + b * c -> a - b * c", "b * c -> b // c"]),
    "a negative number": ("return -a", ["-a -> +a"]),
    "what is added in place": ("a += b\nreturn a", ["a += b -> a -= b"]),
    "the least becomes the most": ("return min(a, b)", ["min(a, b) -> max(a, b)"]),
    "all becomes any": ("return all(c)", ["all(c) -> any(c)"]),
    "an early return never happens": ("if a:\n    return b\nreturn c", ["if a: return b -> never"]),
    "a condition is no longer denied": (
        "if not a:\n    b = c\nreturn b",
        ["not a -> a"],
    ),
    "the same words twice are numbered": (
        "return [a < b, a < b]",
        ["a < b -> a <= b", "a < b -> a <= b (2)"],
    ),
    "errors and their messages stay": ("raise ValueError(f'{a + b}', a < b)", []),
    "what is inside belongs to the function around it": (
        "def inner(a: int) -> bool:\n    return a < b\nreturn inner",
        ["a < b -> a <= b"],
    ),
}


@pytest.mark.parametrize("row", CHANGES.values(), ids=CHANGES)
def test_what_is_changed_in_a_function(row: tuple[str, list[str]]) -> None:
    body, expected = row
    text = "def decide(a, b, c):\n    " + body.replace("\n", "\n    ")

    assert [change.words for change in changes_of(text, "rule.py")] == expected


def test_methods_are_named_with_their_class() -> None:
    text = "class Rule:\n    class Part:\n        def holds(self, a):\n            return a > 0\n"
    (change,) = changes_of(text, "rule.py")

    assert change.key == "Rule.Part.holds: a > 0 -> a >= 0"


def test_every_change_is_one_of_a_function_of_the_core() -> None:
    """All of them are known by a key of their own, and can be put in place."""
    changes = list(changes_of_core())

    assert len(changes) > 3000
    assert len({(change.module, change.key) for change in changes}) == len(changes)
    for module, function in {(change.module, change.function) for change in changes}:
        assert find_function(module, function).__code__.co_name == function.rpartition(".")[2]


def test_a_change_decides_wherever_the_function_is_known() -> None:
    (change,) = _changes("ordering/job_order.py", "service_level")
    function = find_function(change.module, change.function)
    kept = function.__code__
    try:
        put_in_place(change)
        assert service_level(60) != 1
    finally:
        function.__code__ = kept

    assert service_level(60) == 1


def test_a_change_that_no_test_enters_survives_and_one_that_a_table_is_about_does_not() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.mutation.rules", "ordering/work_classes.py"),
            *("model/gpu_model.py", "ordering/job_order.py"),
            *("--tests", "tests/scheduler/core/ordering/test_job_order.py"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    _, _, survived = done.stdout.partition(" changes tried, ")
    names = {line.split()[1] for line in survived.splitlines() if line.startswith("survives: ")}

    assert done.returncode == 1, done.stderr
    assert names == {"model/gpu_model.py"}


def test_the_list_of_survivors_is_compared_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "survivors.toml"
    one, other, *_ = _changes("ordering/job_order.py", "rank_waiting")
    survivors.write([], [one], file)
    text = file.read_text().replace(
        survivors.TO_DO, f'{survivors.EQUAL}it is "the same"'.replace('"', '\\"')
    )
    file.write_text(text)
    survivors.write([], [one, other], file)
    listed = survivors.read(file)

    assert listed[one.module][one.key] == 'equal: it is "the same"', "a reason stays"
    assert listed[one.module][other.key] == survivors.TO_DO
    assert survivors.unlisted([one, other], listed) == []

    survivors.write([other], [], file)
    assert list(survivors.read(file)[one.module]) == [one.key], "what is noticed goes"
    survivors.drop_strangers([], file)
    assert survivors.read(file) == {}
    assert survivors.unlisted([one], {}) == [one]


def test_every_survivor_has_a_reason_and_is_of_a_module_of_the_core() -> None:
    for module, rows in survivors.read().items():
        import_module(f"scheduler.core.{module.removesuffix('.py').replace('/', '.')}")
        for key, reason in rows.items():
            is_equal = reason.startswith(survivors.EQUAL) and len(reason) > 20
            assert is_equal or reason == survivors.TO_DO, f"{module} {key}"


def _changes(module: str, function: str) -> list[Change]:
    return [each for each in changes_of_core(frozenset({module})) if each.function == function]


def test_a_run_inside_a_test_leaves_the_servers_to_the_run_around_it(redis_url: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]

    subprocess.run([*command, __file__], cwd=ROOT, capture_output=True, check=True)

    with Redis.from_url(redis_url) as client:
        assert client.ping()
