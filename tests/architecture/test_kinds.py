"""The kinds of work are asked for what they are like, by the table, and by name in a few places only."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final

from portal.common.work_kinds import APP, JOB, KINDS, NOTEBOOK, REPLICA
from portal.inventory.models import Pool
from tests.architecture.sources import Source, sources

TABLE: Final = "portal/common/work_kinds.py"
ROWS: Final = {"NOTEBOOK": NOTEBOOK, "JOB": JOB, "APP": APP, "REPLICA": REPLICA}
NAMED_IN: Final = {
    "portal/app_sessions/services.py": "submits sessions",
    "portal/config/urls.py": "reads the submissions of each kind",
    "portal/demo/past_rows.py": "makes past jobs and notebooks",
    "portal/endpoints/api/access_shares.py": "endpoints of each kind",
    "portal/endpoints/api/tickets.py": "endpoints of each kind",
    "portal/images/api/image_builds.py": "an image is built by a job",
    "portal/jobs/services.py": "submits jobs",
    "portal/metering/models.py": "the condition of an index",
    "portal/notebooks/services.py": "submits notebooks",
    "portal/serving/replicas.py": "submits replicas",
    "portal/workloads/models/workloads.py": "the conditions of constraints",
}
"""The files that know one kind by its name, each with the reason; the list only gets shorter."""
IN_SQL: Final = re.compile(rf"\bkind\s*(?:=|<>|IN)\s*\(?'(?:{'|'.join(KINDS)})'")


def test_kinds_are_named_where_they_are_listed_only() -> None:
    found = {source.path for source in sources(("portal",)) if set(_imported(source)) & set(ROWS)}

    assert found == set(NAMED_IN)


def test_nobody_compares_the_name_of_a_kind() -> None:
    assert [place for source in sources(("portal",)) for place in _compared(source)] == []


def test_words_of_rows_are_those_of_what_they_name() -> None:
    for name, terms in KINDS.items():
        assert terms.kind == name
        assert terms.purpose in Pool.Purpose.values
        assert terms.stop in terms.actions


def _imported(source: Source) -> Iterator[str]:
    for node in source.nodes():
        if isinstance(node, ast.ImportFrom) and node.module == "portal.common.work_kinds":
            yield from (name.name for name in node.names)


def _compared(source: Source) -> Iterator[str]:
    """Yield where the name of a kind is held against something that is called `kind`, in Python or in SQL."""
    for node in source.nodes():
        match node:
            case ast.Compare(left=left, comparators=others) if _is_kind([left, *others]):
                found = _named([left, *others])
            case ast.keyword(arg="kind", value=value):
                found = _named([value])
            case ast.Dict(keys=keys):
                found = _named(keys)[1:]
            case ast.Constant(value=str(text)) if IN_SQL.search(text):
                found = [node]
            case _:
                found = []
        yield from (f"{source.path}:{name.lineno}" for name in found if source.path != TABLE)


def _is_kind(sides: list[ast.expr]) -> bool:
    names = [getattr(side, "attr", getattr(side, "id", "")) for side in sides]
    return any(str(name).endswith("kind") for name in names)


def _named(sides: Sequence[ast.expr | None]) -> list[ast.Constant]:
    return [
        side
        for side in sides
        if isinstance(side, ast.Constant) and isinstance(side.value, str) and side.value in KINDS
    ]
