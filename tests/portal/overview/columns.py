"""Columns of the card map as rows."""

from typing import Any


def holders_of(card_map: Any) -> list[dict[str, Any]]:
    """Return one row for each holder, with its person and group."""
    columns = card_map["holders"]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for row in rows:
        for name, of in (("owner", "people"), ("group", "groups")):
            row[name] = None if row[name] < 0 else card_map[of][row[name]]
    return rows
