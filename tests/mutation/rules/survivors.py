"""The list of changes that no table notices, each with the reason why that is right, or what to do."""

import json
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tests.mutation.rules.changes import Change

FILE: Final = Path(__file__).with_name("survivors.toml")
HEAD: Final = """\
# Changes of the core's rules that no table notices. `python -m tests.mutation.rules --write` keeps it.
#
# equal: …   the changed rule decides the same, for the reason that follows
# to do      a table of small worlds is still to be written; its property tests may notice
"""
TO_DO: Final = "to do"
EQUAL: Final = "equal: "

Survivors = Mapping[str, Mapping[str, str]]
"""Reason by the key of a change, by module."""


def read(file: Path = FILE) -> Survivors:
    """Return what is listed."""
    found: Survivors = tomllib.loads(file.read_text(encoding="utf-8"))
    return found


def unlisted(survived: Iterable[Change], listed: Survivors) -> list[Change]:
    """Return the survivors that the list does not name."""
    return [each for each in survived if each.key not in listed.get(each.module, {})]


def write(noticed: Iterable[Change], survived: Iterable[Change], file: Path = FILE) -> None:
    """Bring the list up to date with a run: what the run did not reach stays as it was."""
    reasons: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for module, rows in read(file).items() if file.exists() else ():
        reasons[module] |= rows
    for change in noticed:
        reasons[change.module].pop(change.key, None)
    for change in survived:
        reasons[change.module].setdefault(change.key, TO_DO)
    _save(reasons, file)


def drop_strangers(changes: Iterable[Change], file: Path = FILE) -> None:
    """Forget listed changes of rules that are no longer there."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    for change in changes:
        known[change.module].add(change.key)
    kept = {
        module: {key: reason for key, reason in rows.items() if key in known[module]}
        for module, rows in read(file).items()
    }
    _save(kept, file)


def _save(reasons: Survivors, file: Path) -> None:
    modules = (_module(name, rows) for name, rows in sorted(reasons.items()))
    file.write_text(HEAD + "".join(modules), encoding="utf-8")


def _module(name: str, rows: Mapping[str, str]) -> str:
    if not rows:
        return ""
    written = (f"{_quoted(key)} = {_quoted(reason)}\n" for key, reason in sorted(rows.items()))
    return f"\n[{_quoted(name)}]\n" + "".join(written)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
