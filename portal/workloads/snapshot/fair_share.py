"""Load what orders groups and members in fair share, without the queue, nodes and cards of a snapshot."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache

from portal.common.clock import now, to_millis
from portal.site.selectors import settings_for_system
from portal.workloads.snapshot.cards import count_cards
from portal.workloads.snapshot.loader import (
    consistent_read,
    load_groups_for_system,
    load_pools_for_system,
    load_quotas,
)
from portal.workloads.snapshot.running import build_running, load_live_allocations
from portal.workloads.snapshot.usage import load_live_use, load_usage
from scheduler.core.model.entities import (
    GroupId,
    GroupView,
    Millis,
    PoolId,
    PoolView,
    QuotaView,
)
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.ordering.fair_share_state import FairShareState, compute_entitlements


def load_fair_share() -> FairShareState:
    """Return the state that `FairShareState.from_snapshot` makes of a whole snapshot.

    Of what runs only work is read for which the entry penalty is still charged.
    """
    with consistent_read():
        moment = now()
        settings = settings_for_system()
        charged = timedelta(seconds=settings.fair_share.entry_penalty_s + 1)
        live = load_live_use(moment, moment - charged)
        quotas, cards = load_quotas({Resource.GPU}), count_cards()
        part = Snapshot(
            taken_at=Millis(to_millis(moment)),
            pools=load_pools_for_system(),
            nodes=(),
            accelerators=(),
            groups=load_groups_for_system(),
            quotas=quotas,
            running=build_running(load_live_allocations(moment, live.started), moment),
            usage=load_usage(live.uncounted, moment, settings.half_life_s),
            fair_share=settings.fair_share,
        )
    terms = tuple(replace(quota, used=0) for quota in quotas)
    entitled = _entitlements(part.pools, part.groups, terms, tuple(sorted(cards.items())))
    return FairShareState.from_snapshot(part, entitled)


# Quotas and cards change seldom, and dividing them takes longer than reading them.
@lru_cache(maxsize=8)
def _entitlements(
    pools: tuple[PoolView, ...],
    groups: tuple[GroupView, ...],
    quotas: tuple[QuotaView, ...],
    cards: tuple[tuple[PoolId, int], ...],
) -> Mapping[GroupId, int]:
    site = Snapshot(
        taken_at=Millis(0), pools=pools, nodes=(), accelerators=(), groups=groups, quotas=quotas
    )
    return compute_entitlements(site, {(pool, Resource.GPU): 1000 * n for pool, n in cards})
