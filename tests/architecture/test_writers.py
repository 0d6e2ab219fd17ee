"""The reader of writes finds every way of writing a table, and says so where it cannot tell."""

from functools import cache
from typing import Final

from tests.architecture.sources import Source, sources
from tests.architecture.writers.found import Found, Unclear, Write
from tests.architecture.writers.orm import writes_by_models
from tests.architecture.writers.sql import writes_by_sql

SAMPLE: Final = "tests.architecture.writers.sample"


@cache
def _found() -> dict[str, list[Found]]:
    """Return what is found in each function of the sample."""
    (sample,) = (source for source in sources(("tests",)) if source.module == SAMPLE)
    tables = {name.removeprefix("writes_") for name in _ends(sample)}
    found: dict[str, list[Found]] = {name: [] for name in _ends(sample)}
    for item in (*writes_by_models(sample), *writes_by_sql(sample, tables)):
        name = next(
            name for name, (begin, end) in _ends(sample).items() if begin <= item.line <= end
        )
        found[name].append(item)
    return found


@cache
def _ends(sample: Source) -> dict[str, tuple[int, int]]:
    return {node.name: (node.lineno, node.end_lineno or 0) for node in sample.functions()}


def test_every_way_of_writing_is_found() -> None:
    missed = {
        name: found
        for name, found in _found().items()
        if name.startswith("writes_")
        and {item.table for item in found if isinstance(item, Write) and item.is_saved}
        != {name.removeprefix("writes_")}
    }

    assert missed == {}


def test_columns_are_found_where_they_are_named() -> None:
    columns = {
        name: set().union(*(item.columns for item in found if isinstance(item, Write)))
        for name, found in _found().items()
    }

    assert columns["writes_inventory_accelerator"] == {"state"}
    assert columns["writes_inventory_pool"] == {"is_open"}
    assert columns["writes_quotas_quota"] == {"used", "ceiling"}
    assert columns["makes_unsaved"] == {"state"}


def test_what_nothing_says_the_type_of_is_unclear() -> None:
    found = _found()

    assert [isinstance(item, Unclear) for item in found["is_unclear"]] == [True]
    assert [isinstance(item, Unclear) for item in found["is_unclear_too"]] == [True, True]


def test_row_that_is_not_saved_writes_no_table() -> None:
    (made,) = _found()["makes_unsaved"]

    assert isinstance(made, Write)
    assert not made.is_saved
