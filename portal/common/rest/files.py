"""Answers that are files: CSV for spreadsheets and programs."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

from django.http import HttpResponse

_MARK: Final = "\ufeff"
"""So that spreadsheets read UTF-8."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def plain_cell(value: object) -> object:
    """Return a value whose text no spreadsheet takes for a formula; numbers stay as they are."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV; texts of users go through `plain_cell` before."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows(rows)
    return _MARK + out.getvalue()


def csv_response(content: str, name: str) -> HttpResponse:
    """Return CSV as a file to download, with this name."""
    return HttpResponse(
        content,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )
