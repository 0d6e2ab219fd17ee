"""When an idle notebook is warned, loses its GPUs and is stopped: pure decisions.

Nothing is taken without a warning `idle_warn_s` before. What was not warned of in time is warned of
first, and waits.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from scheduler.core.model.policy import PoolPolicy


class IdleLoss(StrEnum):
    """What an idle notebook may lose."""

    RELEASE = "release"
    """Its GPUs; it keeps running."""
    STOP = "stop"
    """Everything but its files: it is stopped."""


class IdleAction(StrEnum):
    """What to do about an idle notebook now."""

    NOTHING = "nothing"
    WARN = "warn"
    DO = "do"


@dataclass(frozen=True, slots=True)
class IdleState:
    """What is known of the use of one notebook."""

    active_at: datetime
    keeps: int = 0
    can_release: bool = True
    """It has GPUs that it can release."""
    warned_of: str = ""
    warned_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NextLoss:
    """What a notebook that stays idle loses next."""

    loss: IdleLoss
    at: datetime
    warn_at: datetime


def find_next_loss(policy: PoolPolicy, idle: IdleState) -> NextLoss | None:
    """Return what an idle notebook loses next, and when; None where the policy takes nothing."""
    if idle.can_release and policy.idle_release_s:
        loss, limit_s = IdleLoss.RELEASE, policy.idle_release_s
    elif policy.idle_stop_s:
        loss, limit_s = IdleLoss.STOP, policy.idle_stop_s
    else:
        return None
    at = idle.active_at + timedelta(seconds=limit_s + idle.keeps * policy.idle_keep_s)
    notice = timedelta(seconds=policy.idle_warn_s)
    if idle.warned_of == loss and idle.warned_at is not None:
        at = max(at, idle.warned_at + notice)
    return NextLoss(loss, at, at - notice)


def decide_idle_action(
    policy: PoolPolicy, idle: IdleState, now: datetime
) -> tuple[IdleAction, NextLoss | None]:
    """Return what to do now about an idle notebook, and the loss that it is about."""
    coming = find_next_loss(policy, idle)
    if coming is None or now < coming.warn_at:
        return IdleAction.NOTHING, coming
    if idle.warned_of != coming.loss:
        return IdleAction.WARN, coming
    return (IdleAction.DO if now >= coming.at else IdleAction.NOTHING), coming
