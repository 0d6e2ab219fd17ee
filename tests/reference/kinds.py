"""The kinds of work for the pages: of each row what they ask."""

import json
from enum import Enum
from typing import Any, Final

from portal.common import work_kinds
from portal.common.work_kinds import KINDS, WorkTerms

FIELDS: Final = (
    "kind",
    "plural",
    "page",
    "manifests",
    "operation",
    "purpose",
    "images",
    "is_prescribed",
    "preemptible_by_default",
    "stop",
    "runs_to_end",
    "is_kept",
    "is_handed_over",
    "endpoint",
)
"""What no page asks is left out: the table is loaded with the first page of everybody."""
HEAD: Final = "// Written by `make reference` from portal/common/work_kinds.py. Do not edit.\n"


def module() -> str:
    """Return the table as TypeScript, each row under the name that it has in Python."""
    names = {value.kind: name for name, value in vars(work_kinds).items() if _is_row(value)}
    rows = [
        f"export const {names[kind]} = {_row(terms)} as const;" for kind, terms in KINDS.items()
    ]
    table = "".join(f"  {kind}: {names[kind]},\n" for kind in KINDS)
    return "\n".join(
        [
            HEAD,
            *(f"{row}\n" for row in rows),
            "/** Each kind of work by its name. */",
            f"export const KINDS = {{\n{table}}} as const;\n",
            "export type WorkKind = keyof typeof KINDS;",
            "",
        ]
    )


def _is_row(value: object) -> bool:
    return isinstance(value, WorkTerms)


def _row(terms: WorkTerms) -> str:
    return json.dumps({name: _word(getattr(terms, name)) for name in FIELDS}, indent=2)


def _word(value: Any) -> Any:
    """Return the name of a choice that is not stored anywhere, in the case of those that are."""
    return value.name.lower() if isinstance(value, Enum) else value
