"""Changes of quotas and their previews as the API shows them; other tenants' work is redacted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from portal.common.actor import Actor
from portal.common.rest.projection import project
from portal.common.rest.refs import saved_change
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.quota_changes.api.shapes import QuotaChangeShape, QuotaPreviewShape
from portal.quota_changes.requests import QuotaPreview
from portal.quotas.edits import MemberEdit, QuotaEdit
from portal.quotas.models import QuotaChange
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.workloads.models import Workload
from portal.workloads.responses.redaction import Viewer

SHOWN_MAX = 50
"""Workloads of one kind that a preview names; more are counted."""


def present_change(row: QuotaChange) -> dict[str, Any]:
    """Present a saved change, as a selector has read it."""
    # Those that the selector has read.
    changed = {"items": row.items.all(), "members": row.members.all()}
    return project(QuotaChangeShape, saved_change(row) | changed)


def present_edits(edits: Iterable[QuotaEdit]) -> list[dict[str, Any]]:
    """Present edits, as they are sent back to save them."""
    return [
        {
            "group": edit.group_id,
            "pool": edit.what.pool_id,
            "resource": edit.what.resource,
            "model": edit.what.model,
            "before": edit.before,
            "after": edit.after,
        }
        for edit in edits
    ]


def present_member_edits(edits: Iterable[MemberEdit]) -> list[dict[str, Any]]:
    """Present edits of what members may hold, with their names."""
    edits = tuple(edits)
    users = User.objects.in_bulk({edit.user_id for edit in edits})
    return [
        {
            "group": edit.group_id,
            "user": users[edit.user_id],
            "pool": edit.what.pool_id,
            "resource": edit.what.resource,
            "model": edit.what.model,
            "before": edit.before,
            "after": edit.after,
        }
        for edit in edits
        if edit.user_id in users
    ]


def present_preview(actor: Actor, found: QuotaPreview) -> dict[str, Any]:
    """Present what a change would do."""
    effect, names = found.effect, _Names(actor)
    work = _works_of(actor, found)
    above = [UUID(each.user) for each in effect.exceeded if each.user is not None]
    members = {str(key): row for key, row in User.objects.in_bulk(above).items()}
    return project(
        QuotaPreviewShape,
        {
            "changes": present_edits(found.edits),
            "members": present_member_edits(found.members),
            "capacities": [
                {
                    "pool": pool,
                    "resource": resource.value,
                    "installed": amount,
                    "usable": found.usable.get((pool, resource), 0),
                }
                for (pool, resource), amount in found.installed.items()
            ],
            "overcommits": names.shown(
                found.overcommits,
                lambda each: {"is_new": each not in found.overcommits_before},
                is_platforms=lambda each: each.group is None,
            ),
            "starts": _counted(effect.starts, work),
            "held_back": _counted(effect.held_back, work),
            "possible": _counted(effect.possible, work),
            "impossible": [
                {
                    "work": work[each.workload],
                    "reasons": [reason.as_json() for reason in each.reasons],
                }
                for each in effect.impossible[:SHOWN_MAX]
                if each.workload in work
            ],
            "impossible_total": len(effect.impossible),
            "stops": [
                {"work": work[each.workload], "cause": each.cause}
                for each in effect.evictions[:SHOWN_MAX]
                if each.workload in work
            ],
            "stops_total": len(effect.evictions),
            "exposures": names.shown(effect.exposures, lambda _: {}),
            "exceeded": names.shown(effect.exceeded, lambda each: {"user": members.get(each.user)}),
            "waiting": effect.waiting,
        },
    )


def _counted(keys: Sequence[str], work: Mapping[str, Any]) -> dict[str, Any]:
    return {"total": len(keys), "works": [work[key] for key in keys[:SHOWN_MAX] if key in work]}


def _works_of(actor: Actor, found: QuotaPreview) -> dict[str, Any]:
    """Return the workloads that a preview names, as far as the actor may see them."""
    effect = found.effect
    keys: set[str] = {
        *effect.starts[:SHOWN_MAX],
        *effect.held_back[:SHOWN_MAX],
        *effect.possible[:SHOWN_MAX],
        *(each.workload for each in effect.impossible[:SHOWN_MAX]),
        *(each.workload for each in effect.evictions[:SHOWN_MAX]),
    }
    rows = (
        Workload.objects.select_related("owner", "group")
        .defer("spec")
        .in_bulk([UUID(key) for key in keys])
    )
    viewer = Viewer.for_actor(actor)
    return {str(key): viewer.view(row) for key, row in rows.items()}


class _Names:
    """Groups and pools that findings of the engine refer to; those of others stay unnamed."""

    def __init__(self, actor: Actor) -> None:
        self._groups = {str(key): row for key, row in Group.objects.in_bulk().items()}
        self._pools = {str(key): row for key, row in Pool.objects.in_bulk().items()}
        visible = policies.visible_group_ids(actor)
        self._visible = None if visible is None else {str(key) for key in visible}

    def shown(
        self,
        found: Iterable[Any],
        more: Callable[[Any], Mapping[str, Any]],
        *,
        is_platforms: Callable[[Any], bool] = lambda _: False,
    ) -> list[dict[str, Any]]:
        """Return the findings about groups that the actor may see, and the platform's for its staff."""
        return [
            {
                **{name: getattr(each, name) for name in each.__dataclass_fields__},
                "group": None if each.group is None else self._groups[each.group],
                "pool": None if each.pool is None else self._pools[each.pool],
                **more(each),
            }
            for each in found
            if self._visible is None or (not is_platforms(each) and each.group in self._visible)
        ]
