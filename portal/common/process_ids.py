"""Ids of live processes; they begin the names of what only one of these can serve."""

import secrets
from typing import Final

ID_LENGTH: Final = 8


def new_process_id() -> str:
    """Return an id that no other process has."""
    return secrets.token_hex(ID_LENGTH // 2)


def owner_of(name: str) -> str:
    """Return the id of the process that has given something its name."""
    return name[:ID_LENGTH]
