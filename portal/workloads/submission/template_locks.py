"""What the template of submitted work still binds: its owner changes nothing that it locks.

Locks and ranges are those of the submission, whatever has become of the template since. Who is not the owner,
such as a group admin who grants more time, is not bound: the template was the owner's choice.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from portal.common.actor import Actor
from portal.common.errors import Fault, InvalidError
from portal.templates.terms import TemplateTerms
from portal.workloads.models import Workload

_FIELDS: Final[Mapping[str, str]] = {"image_id": "image", "pool_id": "pool"}
"""Fields of submissions whose columns have other names."""


def terms_to_keep(terms: TemplateTerms) -> dict[str, Any]:
    """Return what of a template is stored with the work that names it."""
    return {"locked": list(terms.locked), "ranges": dict(terms.ranges or {})}


def require_unlocked(actor: Actor, workload: Workload, columns: Collection[str]) -> None:
    """Refuse a change, already made in memory, of columns that the work's template binds."""
    use = workload.spec.get("template")
    if not use or actor.user_id != workload.owner_id:
        return
    changed = {_FIELDS.get(name, name): getattr(workload, name) for name in columns}
    if faults := tuple(_faults(use, changed)):
        refused = InvalidError("template_refused")
        refused.faults = faults
        raise refused


def _faults(use: Mapping[str, Any], changed: Mapping[str, Any]) -> Iterator[Fault]:
    for name in use.get("locked", ()):
        if name in changed:
            yield Fault(f"/{name}", "template_locked", {"field": name})
    ranges = {name: each for name, each in use.get("ranges", {}).items() if name in changed}
    yield from TemplateTerms({}, (), ranges).find_faults(changed, {})
