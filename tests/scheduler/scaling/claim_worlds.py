"""Pools of services for the tests of claims: services of two groups, and work that borrowed their GPUs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeVar

from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    GroupId,
    GroupView,
    Millis,
    NodeId,
    NodeView,
    PendingWorkload,
    PoolId,
    PoolView,
    QuotaView,
    Request,
    RunningWorkload,
    UserId,
    WorkloadId,
)
from scheduler.core.model.policy import LendingPolicy, PoolPolicy
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from scheduler.core.model.work_traits import WorkTraits
from scheduler.scaling.shares import (
    ServiceShare,
    ShareClaim,
    ShareState,
    SpareHolder,
    cap_for_others,
    decide_claims,
    who_yields,
    yields_to,
)
from scheduler.scaling.values import Quality
from tests.scheduler.counting import after, without

SERVED, TRAINED = PoolId("services"), PoolId("training")
GROUPS = (GroupId("speech"), GroupId("vision"))
USER = UserId("li")
Work = TypeVar("Work", PendingWorkload, RunningWorkload)
REPLICA = WorkTraits(open_end=True)
CYCLE_MS = 60_000
NEEDED, SPARE = ShareClaim.NEEDED, ShareClaim.SPARE
PRIORITIES = {ShareClaim.PROMISED: 0, ShareClaim.NEEDED: 0, ShareClaim.SPARE: -100}


@dataclass(frozen=True, slots=True)
class WorldService:
    """One service: how many replicas it wants, and whether it is near its target."""

    group: GroupId
    quality: Quality
    minimum: int
    wanted: int
    is_near: bool


@dataclass(frozen=True, slots=True)
class ClaimWorld:
    """One pool of GPUs, what its groups are promised there, and who wants them."""

    gpus: int
    quota: tuple[int, int]
    """GPUs that each group deserves, and may have at most."""
    services: tuple[WorldService, ...]
    borrowers: int
    """Jobs of the other pool on GPUs of this one when it begins."""


@st.composite
def claim_worlds(draw: st.DrawFn) -> ClaimWorld:
    """A world in which what services are promised fits into the quotas, and these into the pool."""
    gpus = draw(st.integers(2, 10))
    first = draw(st.integers(0, gpus))
    quota = (first, draw(st.integers(0, gpus - first)))
    services = []
    for group, most in zip(GROUPS, quota, strict=True):
        left = most
        for quality in draw(st.lists(st.sampled_from(Quality), max_size=3)):
            minimum = draw(st.integers(0, left))
            left -= minimum
            wanted = draw(st.integers(minimum, minimum + 4))
            is_near = quality is Quality.LATENCY and draw(st.booleans())
            services.append(WorldService(group, quality, minimum, wanted, is_near))
    order = draw(st.permutations(services))
    return ClaimWorld(gpus, quota, tuple(order), draw(st.integers(0, gpus)))


@dataclass
class ClaimPlay:
    """A world while it is played: claims, a decision of the queue, what starts and what is evicted."""

    world: ClaimWorld
    snapshot: Snapshot
    of: dict[WorkloadId, WorldService]
    evicted: list[tuple[WorkloadId, ShareClaim | None]]
    """Whom each eviction met, and with which claim it ran; borrowers have none."""
    cycles: int = 0
    yielded: int = 0
    parked: list[tuple[PendingWorkload, WorldService]] = field(default_factory=list)
    """Replicas that are not wanted while a stronger claim waits."""

    @classmethod
    def begin(cls, world: ClaimWorld) -> "ClaimPlay":
        """Let the borrowers in first, then the services arrive in their order."""
        play = cls(world, _site(world), {}, [])
        jobs = [_work(f"job-{number}", GROUPS[0], TRAINED, 0) for number in range(world.borrowers)]
        play.snapshot = replace(play.snapshot, pending=tuple(jobs))
        play.step()
        numbers = count()
        for service in world.services:
            for _ in range(service.wanted):
                work = _replica(next(numbers), service)
                play.of[work.id] = service
                play.snapshot = replace(play.snapshot, pending=(*play.snapshot.pending, work))
            play.step()
        return play

    def settle(self, cycles: int = 12) -> None:
        """Play so many rounds."""
        for _ in range(cycles):
            self.step()

    def step(self) -> None:
        """Rank the replicas by their claims, decide, start what starts, evict what is evicted."""
        self.cycles += 1
        claims = self._claims()
        self._yield(claims)
        claims = self._claims()
        self.snapshot = replace(
            self.snapshot,
            taken_at=self.now,
            pending=tuple(_ranked(work, claims) for work in self.snapshot.pending),
            running=tuple(_ranked(work, claims) for work in self.snapshot.running),
        )
        plan = run_cycle(self.snapshot, self.now, explained=False)
        self.snapshot = after(self.snapshot, plan)
        started = tuple(
            work if work.started_at is not None else replace(work, started_at=self.now)
            for work in self.snapshot.running
        )
        self.snapshot = replace(self.snapshot, running=started)
        for eviction in plan.evictions:
            self.evicted.append((eviction.workload, claims.get(eviction.workload)))
            (work,) = (each for each in started if each.id == eviction.workload)
            again = replace(_waiting(work), evicted_for=eviction.beneficiary)
            gone = without(self.snapshot, eviction.workload)
            self.snapshot = replace(gone, pending=(*gone.pending, again))

    def running(self, service: WorldService) -> int:
        """Return how many replicas of a service run."""
        return sum(self.of.get(work.id) is service for work in self.snapshot.running)

    @property
    def now(self) -> Millis:
        return Millis(self.cycles * CYCLE_MS)

    def _yield(self, claims: Mapping[WorkloadId, ShareClaim]) -> None:
        """Cap latency services while stronger claims wait, as `portal.serving.yielding` does."""
        for group in GROUPS:
            waiting = {
                claims[work.id]
                for work in self.snapshot.pending
                if work.group == group and not work.preemptible
            }
            own = [work for work in self.snapshot.running if work.group == group]
            spare = [work for work in own if claims.get(work.id) in {NEEDED, SPARE}]
            evictable = any(work.preemptible for work in spare)
            services = [each for each in self.world.services if each.group == group]
            latency = {str(n): s for n, s in enumerate(services) if s.quality is Quality.LATENCY}
            holders = [
                SpareHolder(
                    key,
                    NEEDED if service.is_near else SPARE,
                    sum(self.of[work.id] is service for work in spare),
                )
                for key, service in latency.items()
            ]
            chosen = None if evictable else who_yields(holders, waiting)
            for holder in holders:
                service = latency[holder.key]
                if evictable or not yields_to(holder.claim, waiting):
                    self._resume(service)
                else:
                    self._cap(service, claims, is_chosen=holder.key == chosen)

    def _cap(
        self, service: WorldService, claims: Mapping[WorkloadId, ShareClaim], *, is_chosen: bool
    ) -> None:
        holding = self.running(service)
        cap = cap_for_others(service.minimum, holding, 0, is_chosen=is_chosen)
        if cap < holding:
            left = next(
                work
                for work in self.snapshot.running
                if self.of.get(work.id) is service and claims[work.id] is not ShareClaim.PROMISED
            )
            self.snapshot = without(self.snapshot, left.id)
            self._park(_waiting(left), service)
        for work in self.snapshot.pending:
            if self.of.get(work.id) is service and claims[work.id] is not ShareClaim.PROMISED:
                self._park(work, service)

    def _park(self, work: PendingWorkload, service: WorldService) -> None:
        self.yielded += 1
        self.of.pop(work.id)
        rest = tuple(each for each in self.snapshot.pending if each.id != work.id)
        self.snapshot = replace(self.snapshot, pending=rest)
        self.parked.append((replace(work, id=WorkloadId(f"r-1{self.yielded:03}")), service))

    def _resume(self, service: WorldService) -> None:
        """Let it want again as many as it did, as new replicas."""
        for work, owner in [each for each in self.parked if each[1] is service]:
            self.parked = [each for each in self.parked if each[0] is not work]
            self.of[work.id] = owner
            self.snapshot = replace(self.snapshot, pending=(*self.snapshot.pending, work))

    def _claims(self) -> dict[WorkloadId, ShareClaim]:
        runs = {work.id for work in self.snapshot.running}
        found: dict[WorkloadId, ShareClaim] = {}
        for service in self.world.services:
            own = [key for key, each in self.of.items() if each is service]
            own.sort(key=lambda key: (key not in runs, key))
            share = ServiceShare(
                quality=service.quality,
                minimum=service.minimum,
                replicas=tuple(own),
                waiting=sum(key not in runs for key in own),
                open_requests=0,
                slots=1,
                latency_permille=1_000 if service.is_near else 0,
                load_age_ms=0,
                state=ShareState(),
            )
            claims = decide_claims(self.now, share).claims
            found.update((WorkloadId(key), claim) for key, claim in claims)
        return found


def _ranked(work: Work, claims: Mapping[WorkloadId, ShareClaim]) -> Work:
    claim = claims.get(work.id)
    return work if claim is None else replace(work, priority=PRIORITIES[claim])


def _site(world: ClaimWorld) -> Snapshot:
    lends = LendingPolicy(to_pools=frozenset({"training"}))
    nodes = [
        NodeView(NodeId(f"n{number}"), f"n{number}", NodeState.READY, 64_000, 65_536)
        for number in range(world.gpus)
    ]
    return Snapshot(
        taken_at=Millis(0),
        pools=(
            PoolView(SERVED, "services", policy=PoolPolicy(min_runtime_s=0, lending=lends)),
            PoolView(TRAINED, "training", policy=PoolPolicy(min_runtime_s=0)),
        ),
        nodes=tuple(nodes),
        accelerators=tuple(
            AcceleratorView(
                AcceleratorId(f"{node.id}.0"), node.id, SERVED, "A", 32_768, AcceleratorState.OK, 1
            )
            for node in nodes
        ),
        groups=tuple(GroupView(group, group, (group,)) for group in GROUPS),
        quotas=tuple(
            QuotaView(group, SERVED, Resource.GPU, ceiling=most * 1000, deserved=most * 1000)
            for group, most in zip(GROUPS, world.quota, strict=True)
        ),
    )


def _replica(number: int, service: WorldService) -> PendingWorkload:
    preemptible = service.quality is Quality.THROUGHPUT
    work = _work(f"r-{number:03}", service.group, SERVED, number)
    return replace(work, preemptible=preemptible, traits=REPLICA, time_limit_s=None)


def _work(name: str, group: GroupId, pool: PoolId, submitted_ms: int) -> PendingWorkload:
    return PendingWorkload(
        id=WorkloadId(name),
        pool=pool,
        group=group,
        user=USER,
        priority=0,
        submitted_at=Millis(submitted_ms),
        request=Request(gpus=1, cpu_milli=1000),
        version=0,
        time_limit_s=86_400,
        preemptible=True,
    )


def _waiting(work: RunningWorkload) -> PendingWorkload:
    return PendingWorkload(
        id=work.id,
        pool=work.pool,
        group=work.group,
        user=work.user,
        priority=work.priority,
        submitted_at=work.submitted_at,
        request=work.request,
        version=work.version,
        time_limit_s=None if work.traits.open_end else 86_400,
        preemptible=work.preemptible,
        traits=work.traits,
    )
