"""Columns of keys or numbers on their way to PostgreSQL."""

from collections.abc import Iterable


def array_text(column: Iterable[object]) -> str:
    """Return keys or numbers as PostgreSQL reads an array; the driver would look at each of them.

    The statement names the type: `%s::uuid[]`. Texts need quotes, so they are not for here.
    """
    return f"{{{','.join(map(str, column))}}}"
