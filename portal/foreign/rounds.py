"""One round of a cluster at a time, by one worker."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

import structlog
from django.db.models import Q

from portal.common.clock import now
from portal.execution.logs import LogStore
from portal.foreign.errors import RoundFailedError
from portal.foreign.models import FAULT_MAX
from portal.inventory.models import Node
from portal.workloads.state.exchange import Subjects
from wire.facts import AcceleratorFacts

logger = structlog.get_logger(__name__)

ROUND_S: Final = 150
"""After this a round whose worker has died no longer keeps others out: above a task's own limit."""
RETRY_S: Final = 30
"""A cluster that did not answer is left alone for so long: each try keeps a worker busy."""

CardWriter = Callable[[Node, Iterable[AcceleratorFacts]], object]


@dataclass(frozen=True, slots=True)
class RoundParts:
    """What rounds are composed of: who takes part in reports, who writes cards, who stores logs."""

    subjects: Subjects
    update_cards: CardWriter
    store_log: LogStore


class Claims(Protocol):
    """Keeps rounds of one cluster apart, as columns of its row; a port."""

    def claim(self, until: datetime) -> bool:
        """Claim the next round up to a moment; return whether no other worker is at it."""

    def release(self, until: datetime, columns: Mapping[str, Any]) -> None:
        """Write how the round that has this claim went."""


def free_rows() -> Q:
    """Return which clusters no worker is at."""
    return Q(round_until=None) | Q(round_until__lte=now())


def run_alone(
    pool: str, claims: Claims, run: Callable[[], None], *, retry_s: int = RETRY_S
) -> bool:
    """Run one round, unless another worker is at it; return whether the cluster answered."""
    until = now() + timedelta(seconds=ROUND_S)
    if not claims.claim(until):
        return False
    fault, quiet_s = "it was broken off", retry_s
    try:
        run()
        fault = ""
    except RoundFailedError as error:
        fault = str(error) or type(error).__name__
        quiet_s = max(retry_s, error.quiet_s)
        logger.warning("cluster.round_failed", pool=pool, error=fault)
    finally:
        claims.release(until, _outcome(fault, quiet_s))
    return not fault


def _outcome(fault: str, quiet_s: int) -> Mapping[str, Any]:
    """Return the columns that let the next round begin, after a fault a while later."""
    if fault:
        until = now() + timedelta(seconds=quiet_s)
        return {"fault": fault[:FAULT_MAX], "round_until": until}
    return {"fault": "", "round_until": None, "heard_at": now()}
