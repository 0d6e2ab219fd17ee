"""Kinds of objects whose lists learn of changes: the pages' type repeats what the portal notifies of."""

from typing import Final

from portal.common.notifications import LISTED
from tests.architecture.sources import ROOT

FILE: Final = ROOT / "frontend" / "src" / "shared" / "live" / "listed.gen.ts"
_HEAD: Final = (
    "// Generated from portal/common/notifications.py by `make reference`. Do not edit.\n\n"
    "/** Kinds of objects whose lists are notified of each recorded change. */\n"
    "export type Listed =\n"
)


def types() -> str:
    """Return the TypeScript of that type."""
    return _HEAD + "\n".join(f'  | "{kind}"' for kind in sorted(LISTED)) + ";\n"
