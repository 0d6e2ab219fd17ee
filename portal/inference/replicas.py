"""The replicas of one service, what is open at each, and the requests that wait for one.

Requests in flight are the members of sets: nothing is counted up or down.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import structlog

from portal.endpoints.values import ContainerAddress
from portal.serving_usage.routes import ReplicaRoute, ServiceRoute

FAILURES_MAX: Final = 5
"""Answers of 5xx one after the other that take a replica out; a lost connection does so at once."""
PROBE_FIRST_S: Final = 0.1
"""Between the first two probes of a replica that is out; then twice as long each time."""
PROBE_MAX_S: Final = 5.0
"""The longest time between two probes of a replica that is out."""
REPORTED_EVERY_MS: Final = 4_000
"""A server that has reported its queue within so long is not silent: it is asked every two seconds."""
logger = structlog.get_logger(__name__)


class HoldFullError(Exception):
    """So many requests wait that no further one may."""


class ServiceGoneError(Exception):
    """The service was stopped, or has left the table, while a request waited."""


@dataclass(eq=False, slots=True)
class OpenRequest:
    """A request at a replica, from the choice of it to the end of the answer."""

    replica: "RoutedReplica"
    on_cut: Callable[[], None] | None = None
    """Ends it because its replica may serve no longer."""


@dataclass(frozen=True, slots=True)
class WaitingSeen:
    """Requests that wait inside a server, as it reported at a moment of the event loop's clock."""

    count: int
    at: float


@dataclass(eq=False, slots=True)
class RoutedReplica:
    """One replica as this process sees it."""

    route: ReplicaRoute
    open: set[OpenRequest] = field(default_factory=set)
    failures: int = 0
    """Answers of 5xx since the last good one."""
    is_out: bool = False
    """It has failed and has not passed a probe since."""
    passed_at: float = 0.0
    """When it last passed a probe."""
    waiting: "WaitingSeen | None" = None
    """What its server last reported of requests that wait inside it; None is that it never did."""
    turn: int = 0
    """When it was last chosen, so that equal ones take turns."""
    drain_timer: asyncio.TimerHandle | None = None

    def takes_more(self, open_max: int | None) -> bool:
        """Return whether it may get a request."""
        route = self.route
        is_full = open_max is not None and len(self.open) >= open_max
        return route.is_ready and not (route.is_draining or self.is_out or is_full)


Tried = Mapping[RoutedReplica, float]
"""Replicas that failed a request, and when: they get it again only if they passed a probe since."""
Probe = Callable[[ServiceRoute, ReplicaRoute], Awaitable[bool]]
_ReplicaKey = tuple[UUID, ContainerAddress, int]


class Replicas:
    """The replicas of a service and the requests that wait for them, first come first served."""

    def __init__(
        self, route: ServiceRoute, probe: Probe, connections_max: int | None = None
    ) -> None:
        """Start with the replicas of the route; the way to one carries so many requests at a time."""
        self.route = route
        self._probe = probe
        self._connections_max = connections_max
        self._present: dict[_ReplicaKey, RoutedReplica] = {}
        self._leaving: set[RoutedReplica] = set()
        self._waiting: dict[asyncio.Future[OpenRequest], Tried] = {}
        self._credits: dict[int, float] = defaultdict(float)
        self._turns = 0
        self._probes: set[asyncio.Task[None]] = set()
        self.update(route)

    @property
    def held(self) -> int:
        """Return how many requests wait."""
        return len(self._waiting)

    def open_by_replica(self) -> dict[UUID, int]:
        """Return the open requests of each replica, those that have left the table included."""
        counts: dict[UUID, int] = defaultdict(int)
        for each in self._all():
            counts[each.route.workload_id] += len(each.open)
        return dict(counts)

    def answering(self) -> list[RoutedReplica]:
        """Return the replicas that are ready, by the table."""
        return [each for each in self._present.values() if each.route.is_ready]

    def waiting_inside(self, at: float) -> tuple[int, int]:
        """Return how many requests wait inside servers, and for how many milliseconds one has not reported it.

        Those that never did say nothing, neither that none waits nor that they are silent.
        """
        told = [each.waiting for each in self.answering() if each.waiting is not None]
        oldest = min((each.at for each in told), default=at)
        silent_ms = int((at - oldest) * 1000)
        return sum(each.count for each in told), silent_ms if silent_ms > REPORTED_EVERY_MS else 0

    def update(self, route: ServiceRoute) -> None:
        """Follow a new table: what left or drains gets no new request and ends within its bound."""
        self.route = route
        before, self._present = self._present, {}
        for each in route.replicas:
            key = (each.workload_id, each.container, each.port)
            replica = before.pop(key) if key in before else RoutedReplica(each)
            self._present[key] = replica
            replica.route = each
            self._follow_drain(replica, is_leaving=each.is_draining)
        for replica in before.values():
            self._leaving.add(replica)
            self._follow_drain(replica, is_leaving=True)
        self._leaving = {each for each in self._leaving if each.open}
        if route.is_stopped:
            self._refuse_waiting()
        self._serve_waiting()

    def try_open(self, tried: Tried) -> OpenRequest | None:
        """Open a request at the best replica, unless none takes one or others wait for it."""
        if self._waiting and not tried:
            return None
        replica = self._choose(tried)
        return self._open(replica) if replica is not None else None

    def wait(self, tried: Tried) -> "asyncio.Future[OpenRequest]":
        """Return what has a request open as soon as a replica takes it.

        Raises:
            HoldFullError: so many wait that no further one may.
            ServiceGoneError: the service is stopped, so that none will take it.
        """
        if self.route.is_stopped:
            raise ServiceGoneError
        if len(self._waiting) >= self.route.hold.requests_max and not tried:
            raise HoldFullError
        future: asyncio.Future[OpenRequest] = asyncio.get_running_loop().create_future()
        self._waiting[future] = tried
        return future

    def abandon(self, future: "asyncio.Future[OpenRequest]") -> None:
        """Wait no longer, whether or not a request was opened meanwhile."""
        self._waiting.pop(future, None)
        if future.done() and not future.cancelled() and future.exception() is None:
            self.end(future.result())
        else:
            future.cancel()

    def end(self, opened: OpenRequest) -> None:
        """End a request; its place is the next one's."""
        opened.replica.open.discard(opened)
        if self._waiting:
            self._serve_waiting()

    def note_answer(self, replica: RoutedReplica, *, is_good: bool) -> None:
        """Note an answer; too many bad ones after each other take the replica out."""
        replica.failures = 0 if is_good else replica.failures + 1
        if replica.failures >= FAILURES_MAX:
            self.take_out(replica)

    def take_out(self, replica: RoutedReplica) -> None:
        """Send nothing more to a replica until it has passed a probe."""
        if not replica.is_out:
            replica.is_out = True
            logger.warning("inference.replica_out", workload=str(replica.route.workload_id))
            task = asyncio.ensure_future(self._probe_until_back(replica))
            self._probes.add(task)
            task.add_done_callback(self._probes.discard)

    def cut_open(self) -> None:
        """End all open requests."""
        for replica in list(self._all()):
            _cut_all(replica)

    def close(self) -> None:
        """Refuse what waits, and probe no more; what is open continues."""
        for task in self._probes:
            task.cancel()
        self._refuse_waiting()

    def _refuse_waiting(self) -> None:
        for future in list(self._waiting):
            if not future.done():
                future.set_exception(ServiceGoneError())
        self._waiting.clear()

    def _all(self) -> Iterator[RoutedReplica]:
        yield from self._present.values()
        yield from self._leaving

    def _open(self, replica: RoutedReplica) -> OpenRequest:
        self._turns += 1
        replica.turn = self._turns
        opened = OpenRequest(replica)
        replica.open.add(opened)
        return opened

    def _choose(self, tried: Tried) -> RoutedReplica | None:
        """Return the replica with the fewest open requests, of the revision whose turn it is."""
        bounds = [each for each in (self.route.open_max, self._connections_max) if each is not None]
        most = min(bounds, default=None)
        able = [each for each in self._present.values() if each.takes_more(most)]
        if tried:
            able = [each for each in able if each.passed_at > tried.get(each, -1.0)]
        if self.route.weights:
            able = self._of_revision(able)
        return min(able, key=lambda each: (len(each.open), each.turn), default=None)

    def _of_revision(self, able: list[RoutedReplica]) -> list[RoutedReplica]:
        """Return those of one revision: each has its turns by its weight, evenly spread."""
        weights = self.route.weights
        present = {each.route.revision for each in able}
        shares = {each: weights[each] for each in present if weights.get(each, 0) > 0}
        if not shares:
            return []
        for revision, share in shares.items():
            self._credits[revision] += share
        chosen = max(sorted(shares), key=lambda each: self._credits[each])
        self._credits[chosen] -= sum(shares.values())
        return [each for each in able if each.route.revision == chosen]

    def _serve_waiting(self) -> None:
        """Open requests for those that wait, in their order."""
        for future, tried in list(self._waiting.items()):
            replica = self._choose(tried)
            if replica is not None:
                del self._waiting[future]
                if not future.done():
                    future.set_result(self._open(replica))
            elif not tried:
                return

    def _follow_drain(self, replica: RoutedReplica, *, is_leaving: bool) -> None:
        """Start the bound within which the requests of a leaving replica end, or stop it."""
        if not is_leaving and replica.drain_timer is not None:
            replica.drain_timer.cancel()
            replica.drain_timer = None
        elif is_leaving and replica.drain_timer is None:
            loop = asyncio.get_running_loop()
            replica.drain_timer = loop.call_later(self.route.drain_s, _cut_all, replica)

    async def _probe_until_back(self, replica: RoutedReplica) -> None:
        pause_s = PROBE_FIRST_S
        while replica in self._present.values():
            if await self._probe(self.route, replica.route):
                replica.is_out, replica.failures = False, 0
                replica.passed_at = asyncio.get_running_loop().time()
                self._serve_waiting()
                return
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, PROBE_MAX_S)


def _cut_all(replica: RoutedReplica) -> None:
    for opened in list(replica.open):
        if opened.on_cut is not None:
            opened.on_cut()
