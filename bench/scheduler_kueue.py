"""`python -m bench.scheduler_kueue`: Kueue's own performance generator through our real loop.

Thirty queues in five cohorts; a queue has 20 units of its own and may borrow 100 in its cohort.
Per queue come 350 small workloads (1 unit, 0.2 s, one each 100 ms), 100 medium ones (5 units,
0.5 s, each 500 ms) and 50 large ones (20 units, 1 s, each 1.2 s): 15,000 in all, in 60 s. A unit is
a CPU, a cohort a group with a ceiling of 120, a queue a group below it with 20 deserved.

Everything is real but the nodes: rows in PostgreSQL with durable commits, the scheduler's loop, and
heartbeats at the wire's port, answered in two threads of one process; the nodes start and end their
containers at once, in real time.
Source: kubernetes-sigs/kueue, test/performance/scheduler/configs/baseline/generator.yaml. Kueue
needs 351 s for it; a cohort's 7,920 unit-seconds on 120 units are 66 s.
"""

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from bench.legs import Leg, legs
from bench.site import prepared
from bench.spent import Spent

COHORTS: Final = 5
QUEUES: Final = 6
NOMINAL: Final = 20
UNIT: Final = 1000
NODES: Final = 10
NODE_UNITS: Final = 200
QUARTERS: Final = 4
LIMIT_S: Final = 120.0
AIM_S: Final = 80.0
"""What a free machine of two cores might reach; not reached yet, see docs/benchmarks.md."""
BEAT_S: Final = 0.02
THREADS: Final = 2
"""That answer heartbeats at the same time; a portal has more of them, and as little of two cores."""
RESULT: Final = Path("var/bench/kueue.json")


@dataclass(frozen=True, slots=True)
class Kind:
    """A class of workloads of the generator."""

    name: str
    units: int
    runs_s: float
    every_s: float
    count: int
    priority: int


KINDS: Final = (
    Kind("small", 1, 0.2, 0.1, 350, 50),
    Kind("medium", 5, 0.5, 0.5, 100, 100),
    Kind("large", 20, 1.0, 1.2, 50, 200),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured."""

    workloads: int
    seconds: float
    """From the first submission until the last workload had succeeded."""
    passes: int
    placed: int
    cpu_s: dict[str, float]
    """By process; a busy machine stretches the seconds, not these."""
    legs_ms: Mapping[str, Leg]
    """From an end to the next start in its place; see `bench.legs`."""
    held_pct: Mapping[str, float]
    """Of all units, by quarters of the run: what is missing waited for a decision, or for its commit."""
    limit_s: float = LIMIT_S
    aim_s: float = AIM_S
    kueue_s: float = 351.0
    floor_s: float = 66.0


def main() -> int:
    """Measure, print, write; 1 when it takes too long."""
    parser = argparse.ArgumentParser(prog="python -m bench.scheduler_kueue")
    parser.add_argument("--percent", type=int, default=100, help="of each kind's count (100)")
    parser.add_argument("--json", type=Path, default=RESULT)
    parser.add_argument("--profiles", type=Path, help="folder for cProfile's file of each process")
    options = parser.parse_args()
    with prepared():
        spent = Spent("loop", options.profiles)
        figures = _run(options.percent, spent)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(asdict(figures), indent=2) + "\n", encoding="utf-8")
    print(
        f"Kueue's generator: {figures.workloads:,} workloads in {figures.seconds:.1f} s"
        f" (at most {LIMIT_S:.0f}, aim {AIM_S:.0f}; Kueue 351, floor 66), {figures.passes} passes\n{spent}\n"
        + "; ".join(f"{name} {leg.mean:.0f} ms" for name, leg in figures.legs_ms.items())
        + "\nheld: "
        + ", ".join(f"{name} {share} %" for name, share in figures.held_pct.items())
    )
    return int(figures.seconds > LIMIT_S)


def _run(percent: int, spent: Spent) -> Figures:
    from portal.workloads.models import Workload  # noqa: PLC0415 - after `prepared`
    from scheduler.runtime.loop import run_once  # noqa: PLC0415

    site, total = _a_site(), sum(kind.count * percent // 100 for kind in KINDS) * COHORTS * QUEUES
    context = multiprocessing.get_context("spawn")
    over = context.Event()
    ready = context.Barrier(3)
    spent.start("submissions", _create, site, percent, ready, over)
    spent.start("nodes", _serve_nodes, site["nodes"], ready, over)
    ready.wait()
    started = time.monotonic()
    passes = placed = 0
    ended_at, looked_at = 0.0, 0.0
    with spent.profiled(), ThreadPoolExecutor(1, "commit") as committer:
        while not ended_at:
            run = run_once(committer)
            passes, placed = passes + 1, placed + (run.placed if run else 0)
            if placed >= total and time.monotonic() - looked_at > BEAT_S:
                looked_at = time.monotonic()
                ended = Workload.objects.filter(state="succeeded").count() == total
                ended_at = time.monotonic() if ended else 0.0
            if not run or not run.placed:
                over.wait(BEAT_S)
    spent.stop()
    over.set()
    spent.join()
    seconds = round(ended_at - started, 2)
    return Figures(total, seconds, passes, placed, spent.seconds, legs(), _held_pct())


def _held_pct() -> Mapping[str, float]:
    """Return how much of all units was held, by quarters of the time from first start to last end."""
    from portal.workloads.models import Allocation  # noqa: PLC0415 - after `prepared`

    ended: Any = Allocation.objects.filter(released_at__isnull=False)
    rows = list(ended.values_list("cpu_milli", "created_at", "released_at"))
    first, last = min(row[1] for row in rows), max(row[2] for row in rows)
    quarter = (last - first) / QUARTERS
    whole = NOMINAL * QUEUES * COHORTS * UNIT * quarter.total_seconds()
    found = {}
    for number in range(QUARTERS):
        begins, ends = first + number * quarter, first + (number + 1) * quarter
        held = sum(
            milli * (min(until, ends) - max(since, begins)).total_seconds()
            for milli, since, until in rows
            if since < ends and until > begins
        )
        found[f"quarter {number + 1}"] = round(100 * held / whole, 1)
    return found


def _a_site() -> dict[str, Any]:
    """Write the nodes, the tree of groups with its quotas, and a person for each queue."""
    from portal.quotas.models import Quota  # noqa: PLC0415
    from tests.builders.machines import a_node, a_pool, an_image  # noqa: PLC0415
    from tests.builders.people import a_group, a_member  # noqa: PLC0415

    pool = a_pool()
    nodes = [a_node(pool, cards=1, cpu_milli=NODE_UNITS * UNIT) for _ in range(NODES)]
    members = []
    for _ in range(COHORTS):
        cohort = a_group()
        Quota.objects.create(group=cohort, resource="cpu", ceiling=NOMINAL * QUEUES * UNIT)
        for _ in range(QUEUES):
            queue = a_group(parent=cohort)
            Quota.objects.create(
                group=queue,
                resource="cpu",
                deserved=NOMINAL * UNIT,
                ceiling=NOMINAL * QUEUES * UNIT,
            )
            members.append((queue.pk, a_member(queue).pk))
    return {
        "pool": pool.pk,
        "image": an_image().pk,
        "members": members,
        "nodes": [node.pk for node in nodes],
    }


def _create(site: dict[str, Any], percent: int, ready: Any, over: Any) -> None:
    """Submit every workload when it is due; runs in a process of its own."""
    import django  # noqa: PLC0415

    django.setup()
    due = sorted(
        (number * kind.every_s, kind.name, member)
        for kind in KINDS
        for number in range(kind.count * percent // 100)
        for member in range(len(site["members"]))
    )
    kinds = {kind.name: kind for kind in KINDS}
    ready.wait()
    started, at = time.monotonic(), 0
    while at < len(due):
        elapsed = time.monotonic() - started
        until = at
        while until < len(due) and due[until][0] <= elapsed:
            until += 1
        if until > at:
            _submit(site, [(kinds[name], member) for _, name, member in due[at:until]])
            at = until
        over.wait(BEAT_S)


def _submit(site: dict[str, Any], batch: list[tuple[Kind, int]]) -> None:
    from bench.scheduler_throughput import write_submissions  # noqa: PLC0415

    write_submissions(
        {
            "kind": "training",
            "name": kind.name,
            "group_id": site["members"][member][0],
            "owner_id": site["members"][member][1],
            "pool_id": site["pool"],
            "image_id": site["image"],
            "cpu_milli": kind.units * UNIT,
            "memory_mib": 1,
            "priority": kind.priority,
            "preemptible": True,
            "time_limit_s": 60,
        }
        for kind, member in batch
    )


def _serve_nodes(node_ids: list[UUID], ready: Any, over: Any) -> None:
    """Send the heartbeats of all nodes, from several threads; runs in a process of its own."""
    import django  # noqa: PLC0415

    django.setup()
    nodes = [(f"node:{key}", _InstantNode(_Link(key))) for key in node_ids]
    shares = [dict(nodes[first::THREADS]) for first in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as threads:
        ready.wait()
        for served in [threads.submit(_serve, share, over) for share in shares]:
            served.result()


def _serve(nodes: Mapping[str, "_InstantNode"], over: Any) -> None:
    from portal.common.notifications import CHANNEL  # noqa: PLC0415
    from portal.common.redis_client import get_redis_client, own_channel  # noqa: PLC0415

    redis = get_redis_client()
    hints = redis.pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]
    hints.subscribe(own_channel(redis, CHANNEL))
    while not over.is_set():
        begun = time.monotonic()
        woken = _woken(hints)
        for name, node in nodes.items():
            node.beat(is_woken=name in woken)
        over.wait(max(BEAT_S - (time.monotonic() - begun), 0))


def _woken(hints: Any) -> set[str]:
    """Return the topics of the nodes that the portal has woken since the last call."""
    found: set[str] = set()
    while (message := hints.get_message()) is not None:
        found.update(json.loads(message["data"])["topics"])
    return found


class _Link:
    """The wire's end of one node: what an agent sends, without the socket."""

    def __init__(self, node_id: UUID) -> None:
        """Report the facts of the node's row, unchanged in every heartbeat."""
        from portal.inventory.models import Node  # noqa: PLC0415
        from tests.builders.scripted_node import ScriptedNode  # noqa: PLC0415

        self._node_id = node_id
        self._last = ScriptedNode(Node.objects.get(pk=node_id)).message(0)

    def beat(self, *, containers: Sequence[Any], finished: Sequence[Any]) -> Any:
        """Send the next heartbeat and return its reply."""
        from portal.config.node_reports import receive_heartbeat  # noqa: PLC0415
        from wire.messages import Refused  # noqa: PLC0415

        report = {"containers": tuple(containers), "finished": tuple(finished)}
        seq = self._last.seq + 1
        self._last = self._last.model_copy(update={"seq": seq, "applied": seq - 1, **report})
        reply = receive_heartbeat(self._node_id, self._last)
        if isinstance(reply, Refused):
            raise TypeError(f"refused: {reply.code}")
        return reply


class _InstantNode:
    """A node that starts what is desired at once and ends it after the run time of its kind."""

    def __init__(self, link: Any) -> None:
        self._link = link
        self._ends: dict[tuple[str, int], float] = {}
        self._beat_at = 0.0
        self._is_news = False
        """Something started that has not been reported to the server."""

    def beat(self, *, is_woken: bool) -> None:
        """Report what runs and what has ended since; then apply the reply."""
        from wire.messages import ContainerReport, FinishedReport  # noqa: PLC0415
        from wire.words import ExitCause, Phase  # noqa: PLC0415

        now = time.monotonic()
        over = {key: end for key, end in self._ends.items() if end <= now}
        if not over and not is_woken and not self._is_news and now - self._beat_at < 5:
            return
        self._beat_at = now
        for key in over:
            del self._ends[key]
        reply = self._link.beat(
            containers=[
                ContainerReport(allocation=name, epoch=epoch, phase=Phase.RUNNING)
                for name, epoch in self._ends
            ],
            finished=[
                FinishedReport(
                    allocation=name,
                    epoch=epoch,
                    cause=ExitCause.EXITED,
                    exit_code=0,
                    finished_at=int((time.time() - now + end) * 1000),
                )
                for (name, epoch), end in over.items()
            ],
        )
        desired = {(item.allocation, item.epoch): item.spec.name for item in reply.containers}
        runs = {kind.name: kind.runs_s for kind in KINDS}
        self._is_news = False
        for key, name in desired.items():
            if key not in self._ends:
                self._ends[key] = time.monotonic() + runs[name]
                self._is_news = True
        for key in self._ends.keys() - desired.keys():
            del self._ends[key]


if __name__ == "__main__":
    sys.exit(main())
