"""Quotas as CSV, written and read: GPUs, cores and GiB as people type them. Pure.

What a cell does not say stays: an empty cell changes nothing, `unlimited` removes a ceiling.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from portal.common.errors import Fault, InvalidError
from portal.common.rest.serializers import AMOUNT_MAX
from portal.quotas.edits import Limits
from portal.quotas.models import Quota
from scheduler.core.model.resources import Resource

AMOUNTS: Final = ("guarantee", "deserved", "ceiling", "user_ceiling")
_CEILINGS: Final = frozenset({"ceiling", "user_ceiling"})
_KEYS: Final = ("group", "pool", "resource", "model")
COLUMNS: Final = (*_KEYS, "user", *AMOUNTS, "weight", "used")
"""A row with a `user` says what that member may hold at most of the quota: its ceiling, and nothing else.

`used` is written for information, and not read.
"""
_REQUIRED: Final = frozenset({"group", "resource"})
UNLIMITED: Final = "unlimited"
ROWS_MAX: Final = 1000
"""Rows of a file that is read."""
FAULTS_MAX: Final = 100
"""Faults of a file that one answer names."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_UNITS: Final[Mapping[str, int]] = {
    Resource.GPU: 1000,
    Resource.CPU: 1000,
    Resource.GPU_MEMORY: 1024,
    Resource.MEMORY: 1024,
}


@dataclass(frozen=True, slots=True)
class CsvQuota:
    """One row of a file."""

    row: int
    """Its number in the file; the header is row 1."""
    group: str
    pool: str
    """Name; empty for all pools together."""
    resource: str
    model: str
    user: str
    """User name of a member; empty for the quota itself."""
    limits: Limits
    """Only those that the row says."""


class CsvRefusedError(InvalidError):
    """A file cannot be taken; its faults name row and column."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        """Keep the first of them."""
        found = tuple(sorted(faults, key=lambda fault: int(fault.params.get("row", 0))))
        super().__init__("csv_refused", faults=len(found))
        self.faults = found[:FAULTS_MAX]


def fault_at(row: int, cell: str, code: str, /, **params: int | str) -> Fault:
    """Return a fault of one cell."""
    return Fault(f"/rows/{row}/{cell}", code, {"row": row, **params})


def write_quotas(rows: Iterable[Quota]) -> bytes:
    """Return quotas as CSV, each with the ceilings of its members.

    With a mark, so that spreadsheets read UTF-8.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row in rows:
        names = (row.group.name, row.pool.name if row.pool else "", row.resource, row.model)
        amounts = [write_amount(row.resource, getattr(row, name)) for name in AMOUNTS]
        used = write_amount(row.resource, row.used)
        lines = [(*names, "", *amounts, row.weight, used)]
        for own in row.member_ceilings.all():  # those that the selector has read
            ceiling = write_amount(row.resource, own.ceiling)
            lines.append((*names, own.user.username, "", "", ceiling, "", "", ""))
        writer.writerows([_neutral(cell) for cell in line] for line in lines)
    return out.getvalue().encode("utf-8-sig")


def write_amount(resource: str, amount: int | None) -> str:
    """Return an amount of the engine in the unit of the file, such as 8 for 8,000 thousandths of a GPU."""
    if amount is None:
        return UNLIMITED
    text = f"{Decimal(amount) / _UNITS[resource]:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _neutral(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def read_quotas(text: str, faults: list[Fault]) -> list[CsvQuota]:
    """Return the rows of a file, with commas, semicolons or tabs between its cells.

    Cells that cannot be understood join the faults, by row and column.

    Raises:
        CsvRefusedError: the file or its columns cannot be understood.
    """
    plain = text.removeprefix("\ufeff")
    first = plain.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(plain, newline=""), delimiter=_delimiter(first))
    try:
        lines = list(reader)
    except csv.Error as error:
        raise CsvRefusedError([fault_at(reader.line_num, "", "csv_not_readable")]) from error
    header = [cell.strip().lower() for cell in lines[0]] if lines else []
    _require_header(header)
    if len(lines) - 1 > ROWS_MAX:
        raise CsvRefusedError([fault_at(ROWS_MAX + 2, "", "csv_too_long", max=ROWS_MAX)])
    return [
        _read_row(row, dict(zip(header, map(_plain, line), strict=False)), faults)
        for row, line in enumerate(lines[1:], start=2)
        if any(cell.strip() for cell in line)
    ]


def _delimiter(header: str) -> str:
    return max((",", ";", "\t"), key=header.count)


def _require_header(header: list[str]) -> None:
    faults = [
        fault_at(1, name, "csv_unknown_column", column=name, columns=", ".join(COLUMNS))
        for name in header
        if name not in COLUMNS
    ]
    faults += [
        fault_at(1, name, "csv_missing_column", column=name)
        for name in sorted(_REQUIRED - set(header))
    ]
    if faults:
        raise CsvRefusedError(faults)


def _plain(cell: str) -> str:
    cell = cell.strip()
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def _read_row(row: int, cells: Mapping[str, str], faults: list[Fault]) -> CsvQuota:
    resource = cells.get("resource", "").lower()
    if resource not in _UNITS:
        choices = ", ".join(_UNITS)
        faults.append(fault_at(row, "resource", "csv_unknown_word", value=resource, words=choices))
    limits: dict[str, int | str | None] = {}
    if resource in _UNITS:
        limits.update(_read_amounts(row, resource, cells, faults))
    if weight := cells.get("weight", "").lower():
        limits["weight"] = weight
        if weight not in Quota.Weight.values:
            words = ", ".join(Quota.Weight.values)
            faults.append(fault_at(row, "weight", "csv_unknown_word", value=weight, words=words))
    group, pool, model, user = (cells.get(name, "") for name in ("group", "pool", "model", "user"))
    return CsvQuota(row, group, pool, resource, model, user, limits)


def _read_amounts(
    row: int, resource: str, cells: Mapping[str, str], faults: list[Fault]
) -> Iterator[tuple[str, int | None]]:
    for name in AMOUNTS:
        cell = cells.get(name, "")
        if not cell:
            continue
        if cell.lower() == UNLIMITED and name in _CEILINGS:
            yield name, None
            continue
        amount = _read_amount(cell, _UNITS[resource])
        if amount is None:
            faults.append(fault_at(row, name, "csv_not_an_amount", value=cell[:40]))
        else:
            yield name, amount


def _read_amount(cell: str, unit: int) -> int | None:
    """Return an amount in the unit of the engine; None for what is not one, or not a whole one."""
    try:
        amount = Decimal(cell) * unit
    except InvalidOperation:
        return None
    if not amount.is_finite() or not 0 <= amount <= AMOUNT_MAX or amount != int(amount):
        return None
    return int(amount)
