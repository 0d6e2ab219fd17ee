"""What each member of a group has held of late, and when each signed in last."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.metering.selectors import UsageQuestion, usage_visible_to
from portal.tenancy import policies
from portal.tenancy.selectors import members_visible_to

WEEK_DAYS: Final = 7
MONTH_DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class MemberUse:
    """One member of a group, with what that member held in it and in the groups below it."""

    user_id: UUID
    week_gpu_milli_ms: int
    """Thousandths of a GPU × milliseconds of the last seven days of the site, today included."""
    month_gpu_milli_ms: int
    """The same of the last thirty."""
    last_sign_in_at: datetime | None
    """None too for members by a group above: who looks after that one sees it there."""


def member_use_visible_to(actor: Actor, group_id: UUID, today: date) -> list[MemberUse]:
    """Return the use of each member of a group by name, in as many queries for any number of them.

    Raises:
        NotFoundError: the actor may not see the group.
        DeniedError: the actor does not look after it.
    """
    policies.require(actor, Action.USAGE_VIEW, group_id)
    week = _held_since(actor, group_id, today, WEEK_DAYS)
    month = _held_since(actor, group_id, today, MONTH_DAYS)
    return [
        MemberUse(
            user_id=user.pk,
            week_gpu_milli_ms=week.get(str(user.pk), 0),
            month_gpu_milli_ms=month.get(str(user.pk), 0),
            last_sign_in_at=user.last_login if member.is_own else None,
        )
        for member in members_visible_to(actor, group_id)
        for user in (member.user,)
    ]


def _held_since(actor: Actor, group_id: UUID, today: date, days: int) -> dict[str, int]:
    """Return GPU time by member, of so many days up to today."""
    asked = UsageQuestion(
        first_day=today - timedelta(days=days - 1),
        last_day=today,
        group_by="user",
        group=group_id,
    )
    return {row.key: row.amounts[0] for row in usage_visible_to(actor, asked).rows}
