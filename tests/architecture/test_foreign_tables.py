"""Statements in SQL keep to the stack as imports do: they read tables of their own app and of lower ones."""

import re
from configparser import ConfigParser
from functools import cache
from typing import Final

import pytest
from django.apps import apps

from tests.architecture.sources import ROOT, Source, sources
from tests.architecture.writers.sql import texts

_STATEMENT: Final = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|JOIN)\b")
_WORD: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_CONTRACT: Final = "importlinter:contract:complete"


def test_sql_names_tables_of_its_own_app_and_of_lower_ones() -> None:
    found = [fault for source in sources(("portal",)) for fault in _faults(source, _apps())]

    assert found == []


@pytest.mark.parametrize(
    ("module", "table", "fault"),
    [
        ("quotas", "workloads_workload", True),
        ("workloads", "workloads_workload", False),
        ("overview", "workloads_workload", False),
        ("inventory", "catalog_image", True),  # beside it
    ],
)
def test_a_table_of_a_higher_or_a_sibling_app_is_found(
    module: str, table: str, *, fault: bool
) -> None:
    assert _is_above(module, _apps()[table]) is fault


def _faults(source: Source, owners: dict[str, str]) -> list[str]:
    app = source.path.split("/")[1]
    return [
        f"{source.path}:{line} {table}"
        for line, text in texts(source)
        if _STATEMENT.search(text)
        for table in _WORD.findall(text)
        if table in owners and _is_above(app, owners[table])
    ]


def _is_above(app: str, other: str) -> bool:
    """Tell whether another app is no lower in the stack."""
    return app != other and _heights()[other] >= _heights()[app]


@cache
def _apps() -> dict[str, str]:
    """Return the app of each table of ours."""
    return {
        model._meta.db_table: model.__module__.split(".")[1]
        for model in apps.get_models(include_auto_created=True)
        if model.__module__.startswith("portal.")
    }


@cache
def _heights() -> dict[str, int]:
    """Return the floor of each app by the contract of imports; 0 is the lowest."""
    contracts = ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    floors = reversed(contracts[_CONTRACT]["layers"].split("\n"))
    return {app: height for height, floor in enumerate(floors) for app in re.findall(r"\w+", floor)}
