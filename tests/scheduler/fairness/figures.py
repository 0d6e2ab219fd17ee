"""What `python -m tests.scheduler.fairness --figures` measures."""

import math
import random
import time

from scheduler.core.model.entities import (
    GroupId,
    GroupView,
    Millis,
    PendingWorkload,
    PoolId,
    PoolView,
    Request,
    UsageView,
    UserId,
    WorkloadId,
)
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.ordering.fair_share_state import FairShareState
from scheduler.core.ordering.queue_order import sort_queue
from scheduler.core.quotas.decayed_usage import UsageMeter

HALF_LIFE_S = 7 * 24 * 3600
CARDS = 32
LOOKS = {"looked at every 10 minutes": 600, "once a day": 86400, "only at the end": 0}


def decay_errors() -> dict[str, float]:
    """Return the worst of 20 histories: two tenants take turns on all cards, for minutes to hours."""
    return {
        name: max(_error(random.Random(number), every_s) for number in range(20))
        for name, every_s in LOOKS.items()
    }


def _error(chance: random.Random, every_s: int) -> float:
    meter, truth = UsageMeter((), Millis(0), HALF_LIFE_S), {"a": 0.0, "b": 0.0}
    now, turn, end = 0, 0, 3 * HALF_LIFE_S
    look = every_s or end
    while now < end:
        until = min(now + chance.randrange(600, 12 * 3600), end)
        holder = UserId("ab"[turn % 2])
        meter.hold(GroupId("lab"), holder, CARDS * 1000, Millis(now * 1000))
        for moment in range(look * (now // look + 1), until, look):
            meter.usage(Millis(moment * 1000))
        meter.hold(GroupId("lab"), holder, -CARDS * 1000, Millis(until * 1000))
        left = math.exp2(-(until - now) / HALF_LIFE_S)
        for name, used in truth.items():
            held = CARDS * HALF_LIFE_S / math.log(2) * (1 - left) if name == holder else 0.0
            truth[name] = used * left + held
        now, turn = until, turn + 1
    found = {row.user: row.gpu_seconds for row in meter.usage(Millis(end * 1000))}
    most = CARDS * HALF_LIFE_S / math.log(2)
    return 100 * max(abs(found[UserId(name)] - used) for name, used in truth.items()) / most


def queue_of(waiting: int) -> Snapshot:
    """Return 300 groups in 20 departments, 3,000 users, two pools, and so much waiting work."""
    chance = random.Random(waiting)
    groups: list[tuple[str, ...]] = [("root",)]
    groups += [("root", f"dept-{number}") for number in range(20)]
    groups += [("root", f"dept-{number % 20}", f"group-{number}") for number in range(300)]
    pending = tuple(
        PendingWorkload(
            id=WorkloadId(f"{number:06}"),
            pool=PoolId(chance.choice(("training", "training", "development"))),
            group=GroupId(f"group-{chance.randrange(300)}"),
            user=UserId(f"user-{chance.randrange(10)}"),
            priority=chance.choice((0, 0, 0, 100)),
            submitted_at=Millis(chance.randrange(10**9)),
            request=Request(gpus=chance.choice((1, 1, 2, 4, 8))),
            version=0,
            time_limit_s=3600,
        )
        for number in range(waiting)
    )
    return Snapshot(
        taken_at=Millis(10**9),
        pools=tuple(PoolView(PoolId(name), name) for name in ("training", "development")),
        groups=tuple(
            GroupView(GroupId(path[-1]), path[-1], tuple(GroupId(name) for name in path))
            for path in groups
        ),
        usage=tuple(
            UsageView(GroupId(f"group-{number}"), UserId("user-0"), chance.randrange(10**6))
            for number in range(300)
        ),
        pending=pending,
    )


def line_seconds(snapshot: Snapshot) -> float:
    """Return the shortest of five, in seconds of CPU: everybody's standing, and the line."""
    times = []
    for _ in range(5):
        began = time.process_time()
        sort_queue(snapshot.pending, FairShareState.from_snapshot(snapshot))
        times.append(time.process_time() - began)
    return min(times)
