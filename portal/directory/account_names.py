"""Names of accounts for people of a directory: plain, whatever the directory calls them."""

import re
from collections.abc import Callable, Collection
from typing import Final
from unicodedata import normalize

_LENGTH: Final = 32
TRIES: Final = 100
"""Names that are tried for one person."""
_OTHER: Final = re.compile(r"[^a-z0-9._-]+")
_FALLBACK: Final = "user"


def plain_name(user_name: str) -> str:
    """Return what remains of a name such as Ada.Lovelace@example.org as the name of an account."""
    local = user_name.partition("@")[0] or user_name
    letters = normalize("NFKD", local).encode("ascii", "ignore").decode().lower()
    return _OTHER.sub("-", letters).strip("._-")[:_LENGTH] or _FALLBACK


def choose_name(user_name: str, find_taken: Callable[[Collection[str]], Collection[str]]) -> str:
    """Return the first free name: `ada`, `ada-2`, `ada-3`, …; raises ValueError if all are taken."""
    base = plain_name(user_name)
    names = [base, *(f"{base[: _LENGTH - 4]}-{number}" for number in range(2, TRIES + 1))]
    taken = set(find_taken(names))
    for name in names:
        if name not in taken:
            return name
    raise ValueError("every name is taken")
