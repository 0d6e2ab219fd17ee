"""When an idle notebook loses what: warned, then without cards, then stopped; pure.

Nobody loses anything without having been told `warn_s` before: what was not warned of in time is
warned of first, and waits.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from scheduler.core.model.policy import PoolPolicy


class IdleLoss(StrEnum):
    """What an idle notebook may lose."""

    RELEASE = "release"
    """Its cards; it lives on."""
    STOP = "stop"
    """All but its files."""


class IdleAction(StrEnum):
    """What to do about it now."""

    NOTHING = "nothing"
    WARN = "warn"
    DO = "do"


@dataclass(frozen=True, slots=True)
class IdleState:
    """What is known of one notebook."""

    active_at: datetime
    keeps: int = 0
    can_release: bool = True
    """It has cards that it could give up."""
    warned_of: str = ""
    warned_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NextLoss:
    """What comes next for a notebook that stays idle."""

    loss: IdleLoss
    at: datetime
    warn_at: datetime


def find_next_loss(rules: PoolPolicy, idle: IdleState) -> NextLoss | None:
    """Return what an idle notebook loses next, and when; None is nothing, ever."""
    if idle.can_release and rules.idle_release_s:
        loss, limit_s = IdleLoss.RELEASE, rules.idle_release_s
    elif rules.idle_stop_s:
        loss, limit_s = IdleLoss.STOP, rules.idle_stop_s
    else:
        return None
    at = idle.active_at + timedelta(seconds=limit_s + idle.keeps * rules.idle_keep_s)
    notice = timedelta(seconds=rules.idle_warn_s)
    if idle.warned_of == loss and idle.warned_at is not None:
        at = max(at, idle.warned_at + notice)
    return NextLoss(loss, at, at - notice)


def decide_idle_action(
    rules: PoolPolicy, idle: IdleState, now: datetime
) -> tuple[IdleAction, NextLoss | None]:
    """Say what is to be done now about an idle notebook, and for what."""
    coming = find_next_loss(rules, idle)
    if coming is None or now < coming.warn_at:
        return IdleAction.NOTHING, coming
    if idle.warned_of != coming.loss:
        return IdleAction.WARN, coming
    return (IdleAction.DO if now >= coming.at else IdleAction.NOTHING), coming
