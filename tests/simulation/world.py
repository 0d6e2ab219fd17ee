"""One run: the portal, the hosts, the people and the faults, judged after every step."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from scheduler.core.invariants.checks import (
    CHECKS,
    Violation,
    check_device_use,
    check_epochs,
    check_evictions,
    check_freed_capacity,
    check_gangs,
    check_single_container,
    check_transitions,
    find_violations,
)
from scheduler.core.invariants.facts import (
    AllocationFact,
    ContainerFact,
    DeviceFact,
    Facts,
    WorkloadFact,
)
from scheduler.core.model.entities import AcceleratorId, NodeId, WorkloadId
from scheduler.core.model.states import TERMINAL, WorkloadState
from tests.simulation.bugs import Bugs
from tests.simulation.cluster import (
    SHAPE,
    card_facts,
    draw_grace_s,
    draw_terms,
    fixed_facts,
    new_store,
)
from tests.simulation.faults import LONG_OUTAGES, Nemesis
from tests.simulation.host import Host
from tests.simulation.loop import SECOND, Loop
from tests.simulation.network import Link, Weather
from tests.simulation.people import People
from tests.simulation.server import Server
from tests.simulation.store import AllocationRow, RefusedError, Store
from wire.messages import Desired, Heartbeat
from wire.versions import HEARTBEAT_S
from wire.words import SilenceTerm

QUIET_MS = 3000 * SECOND
"""After healing, everything must have ended within this time."""
LONG_QUIET_MS = 20 * 3600 * SECOND
"""The same where work may run for an hour, and several times."""
TICK_S = 15
"""Between passes that nobody asked for: pokes do most, and a lost one must not matter."""
LIMITS_CHECK_S = 30
LATE_MAX_S = 600
"""What was not reported for minutes has begun later for the portal; then slack, notice, grace."""
FORGETFUL = frozenset(
    {"container_missing", "lease_ended", "vanished", "node_lost", "node_rebooted"}
)
"""Causes with which work is repeated whose end was not reported."""
HISTORY = (check_gangs, check_evictions, check_epochs, check_transitions)
"""Checks over the whole past: once at the end says as much as after every step."""
ON_NODES = (check_device_use, check_single_container, check_freed_capacity)
"""Checks that look at the containers themselves."""
ON_KNOWN = (check_freed_capacity,)
"""Checks that are about containers which the portal knows."""
IN_STORE = tuple(check for check in CHECKS if check not in HISTORY)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a run ended."""

    seed: int
    violations: tuple[Violation, ...]
    steps: int
    trace: tuple[str, ...]


_STARTED = WorkloadState.PLACING


class BrokenError(Exception):
    """An invariant does not hold."""

    def __init__(self, found: tuple[Violation, ...]) -> None:
        super().__init__(str(found))
        self.found = found


@dataclass(slots=True)
class Trace:
    """What happened, one line per event, for the reader of a failed seed."""

    loop: Loop
    lines: list[str] = field(default_factory=list)

    def __call__(self, who: str, what: str) -> None:
        """Note one line with its virtual time."""
        self.lines.append(f"{self.loop.now / SECOND:9.3f}  {who:<7} {what}")


class World:
    """Everything of one seed."""

    def __init__(self, seed: int, bugs: Bugs) -> None:
        self.loop = Loop(seed)
        self.trace = Trace(self.loop)
        self.server = Server(self.loop, new_store(draw_terms(seed), draw_grace_s(seed)), bugs)
        self.people = People(self.loop, self.server)
        weather = Weather()
        self.hosts = [
            Host(
                id=node,
                loop=self.loop,
                link=Link(self.loop, weather),
                bugs=bugs,
                cards=card_facts(node),
                deliver=self._deliver,
                behaviour_of=self.people.behaviour_of,
                trace=self.trace,
                machine_id=f"sim:{node}",
            )
            for node in SHAPE
        ]
        self.nemesis = Nemesis(self.loop, self.server, self.hosts, weather)
        self._fixed = fixed_facts()
        self._told = 0
        self._scheduled = 0
        self._judged = (-1, -1)
        self._restored_at = 0
        self._found: list[Violation] = []
        """What was found between the steps."""

    @property
    def store(self) -> Store:
        """Return the database of the portal, which a restore exchanges."""
        return self.server.store

    def run(self) -> Verdict:
        """Live through the faults, heal, and become quiet."""
        try:
            self._live()
            found: tuple[Violation, ...] = ()
        except BrokenError as broken:
            found = broken.found
        except RefusedError as refused:
            found = (Violation("refused_by_store", "portal", str(refused)),)
        return Verdict(self.loop.seed, found, self.loop.steps, tuple(self.trace.lines))

    def _live(self) -> None:
        for host in self.hosts:
            host.boot()
        self.people.is_long = self.loop.seed in LONG_OUTAGES
        self.people.arrive()
        self.nemesis.plan()
        self.loop.every(1 * SECOND, self._pass_if_poked)
        self.loop.every(TICK_S * SECOND, self.server.run_pass)
        self.loop.every(HEARTBEAT_S * SECOND, self.server.sweep)
        self.loop.every(LIMITS_CHECK_S * SECOND, self._check_limits)
        self.loop.run_until(self.nemesis.ends_ms, self._judge)
        self.trace("world", "heals")
        self.nemesis.heal()
        self.people.leave()
        self._wait_for_quiet()
        self._judge_end()

    def _pass_if_poked(self) -> None:
        """Wake the scheduler when something was written since it last looked."""
        if self.store.writes != self._scheduled:
            self._scheduled = self.store.writes
            self.server.run_pass()

    def _wait_for_quiet(self) -> None:
        deadline = self.loop.now + (LONG_QUIET_MS if self.people.is_long else QUIET_MS)
        while self.loop.now < deadline and not self._is_quiet():
            self.loop.run_until(self.loop.now + 10 * SECOND, self._judge)
            self.people.leave()
            self.nemesis.silence.tend()
            self.server.recovery.stop_unadopted()

    def _is_quiet(self) -> bool:
        hosts_are_done = not any(host.owes() for host in self.hosts)
        return hosts_are_done and all(
            row.state in TERMINAL for row in self.store.workloads.values()
        )

    def _deliver(
        self, node: NodeId, beat: Heartbeat, answer: Callable[[Desired | int], None]
    ) -> None:
        reply = self.server.receive(node, beat)
        if reply is not None:
            answer(reply)
        elif self.server.is_up:
            told_seq = self.server.boots.told_seq(self.store.nodes[node], beat)
            if told_seq is not None:
                answer(told_seq)

    # --- Judgement -----------------------------------------------------------------------------

    def _judge(self) -> None:
        """Check what may have changed in this step."""
        if self._restored_at != self.server.recovery.begun:
            self._restored_at, self._told = self.server.recovery.begun, len(self.store.events)
            self.people.forget()
        fresh = self.store.events[self._told :]
        for event in fresh:
            self.trace("portal", f"{event.workload} {event.source or '·'} → {event.target}")
        self._told = len(self.store.events)
        starts = [event for event in fresh if event.target is _STARTED and not event.cause]
        self._judge_starts(event.workload for event in starts)
        now = (self.store.writes, sum(host.engine.changes for host in self._all_hosts()))
        if now == self._judged:
            return
        if self._found:
            raise BrokenError(tuple(self._found))
        checks = ON_NODES if now[0] == self._judged[0] else IN_STORE
        self._judged = now
        facts = self.facts()
        found = find_violations(facts, [check for check in checks if check not in ON_KNOWN])
        known = replace(facts, containers=tuple(filter(self._is_known, facts.containers)))
        found += find_violations(known, [check for check in checks if check in ON_KNOWN])
        if found:
            raise BrokenError(found)

    def _is_known(self, container: ContainerFact) -> bool:
        """Tell whether the portal should hold this container, as it was not restored meanwhile."""
        name = f"{container.workload}.{container.rank}"
        return not self.server.recovery.is_forgotten(container.node, name, container.epoch)

    def _judge_starts(self, placed: Iterable[WorkloadId]) -> None:
        """Check that nobody held the work back which was just placed."""
        rows = [self.store.workloads[workload] for workload in placed]
        if early := [row.id for row in rows if not self.store.may_start(row)]:
            found = (Violation("held_work_waits", row, "placed") for row in early)
            raise BrokenError(tuple(found))

    def _judge_end(self) -> None:
        """Nothing is left, nothing is owed, nothing would still happen."""
        found = list(find_violations(self.facts(is_history=True)))
        found += self._stopped_without_decision()
        found += [
            Violation("liveness", row.id, f"still {row.state}")
            for row in self.store.workloads.values()
            if row.state not in TERMINAL
        ]
        found += [
            Violation("cancel_wins", workload_id, self.store.workloads[workload_id].state)
            for workload_id in sorted(self.people.cancelled)
            if self.store.workloads[workload_id].state is not WorkloadState.CANCELLED
        ]
        if not self._is_quiet():
            found.append(Violation("liveness", "cluster", self._unrest()))
        if self.store.allocations or any(quota.used for quota in self.store.quotas):
            found.append(Violation("liveness", "store", "something is still held"))
        found += self._silent_ends()
        found += self._ended_open_ends()
        if self.server.run_pass():
            found.append(Violation("fixpoint", "scheduler", "one more pass changes something"))
        found += self._early_kills()
        for host in self.hosts:
            found += [
                Violation("started_once", f"{key.allocation}@{key.epoch}", f"{count} times")
                for key, count in host.engine.starts.items()
                if count > 1
            ]
        if found:
            raise BrokenError(tuple(found))

    def _unrest(self) -> str:
        return "; ".join(f"{host.id}: {host.owes()}" for host in self.hosts if host.owes())

    def facts(self, *, is_history: bool = False) -> Facts:
        """Return the facts of this instant, with all the past when it is asked for."""
        rows = self.store.allocations + (self.store.released if is_history else [])
        return replace(
            self._fixed,
            workloads=tuple(
                WorkloadFact(
                    w.id,
                    w.group,
                    w.user,
                    w.pool,
                    w.state,
                    w.epoch,
                    w.request.replicas,
                    w.preemptible,
                )
                for w in self.store.workloads.values()
            ),
            allocations=tuple(_allocation(row) for row in rows),
            containers=tuple(self._containers()),
            quotas=tuple(self.store.quotas),
            events=tuple(self.store.events) if is_history else (),
            accepted=tuple(self.store.accepted),
        )

    def _containers(self) -> list[ContainerFact]:
        return [
            ContainerFact(
                host.id,
                WorkloadId(box.key.allocation.rsplit(".", 1)[0]),
                int(box.key.allocation.rsplit(".", 1)[1]),
                box.key.epoch,
                tuple(
                    DeviceFact(AcceleratorId(d.uuid.split("#")[0]), d.slot, d.slices)
                    for d in box.devices
                ),
            )
            for host in self._all_hosts()
            for box in host.engine.boxes.values()
            if box.is_alive and box.key not in host.forsaken
        ]

    def _all_hosts(self) -> Iterator[Host]:
        yield from self.hosts
        yield from self.nemesis.silence.clones
        yield from self.nemesis.twins.twins

    def _check_limits(self) -> None:
        """Find what outlived its limit, whoever was away."""
        for host in self._all_hosts():
            for box in host.engine.alive:
                workload = WorkloadId(box.key.allocation.rsplit(".", 1)[0])
                limit_s = self.people.time_limits_s[workload]
                if limit_s is None:
                    continue
                late_ms = self.loop.now - (box.started_at or 0) - limit_s * SECOND
                if late_ms > LATE_MAX_S * SECOND:
                    name = f"{box.key.allocation}@{box.key.epoch}"
                    self._found.append(Violation("time_limit", name, f"{late_ms} ms too long"))

    def _ended_open_ends(self) -> Iterator[Violation]:
        """Find work without a time limit that was ended by one."""
        for event in self.store.events:
            if event.cause == "time_limit" and self.people.time_limits_s[event.workload] is None:
                yield Violation("open_end", event.workload, "came to a time limit")

    def _early_kills(self) -> Iterator[Violation]:
        """Find kept work that was killed before the deadline that it was told."""
        for host in self.hosts:
            for key, early_ms in sorted(host.engine.early_kills.items()):
                if key not in host.forsaken:
                    name = f"{key.allocation}@{key.epoch}"
                    yield Violation("told_deadline", name, f"killed {early_ms} ms too early")

    def _stopped_without_decision(self) -> Iterator[Violation]:
        """Find what was stopped for no other reason than that a backup did not know it."""
        recovery = self.server.recovery
        for host in self.hosts:
            stopped = {key for node, key in self.nemesis.restores.forgotten if node == host.id}
            for key in sorted(stopped & host.engine.ordered_stops):
                is_settled = (host.id, key.allocation, key.epoch) in recovery.settled
                if not is_settled and host.id not in recovery.given_up:
                    name = f"{key.allocation}@{key.epoch}"
                    yield Violation("forgotten_work", name, f"was stopped on {host.id}")

    def _silent_ends(self) -> Iterator[Violation]:
        """Find kept work that was fenced, and kept work that ended well and was repeated."""
        for host in self._all_hosts():
            for key in host.engine.fenced_kept:
                yield Violation(
                    "kept_work", f"{key.allocation}@{key.epoch}", "ended with the lease"
                )
        done = {key for host in self.hosts for key in host.engine.clean_exits}
        attempts = {(row.name, row.epoch): row for row in self.store.released}
        causes: dict[tuple[str, int], str] = {}
        for event in self.store.events:
            if event.target is WorkloadState.QUEUED and event.source is not None:
                causes[event.workload, event.epoch] = event.cause
        for key in sorted(done):
            row = attempts.get((key.allocation, key.epoch))
            if row is None or row.silence is not SilenceTerm.KEEP:
                continue
            work = self.store.workloads[row.workload]
            cause = causes.get((row.workload, row.epoch), "")
            if work.request.replicas == 1 and cause in FORGETFUL:
                name = f"{key.allocation}@{key.epoch}"
                yield Violation("kept_end", name, f"had ended well, queued as {cause}")


def _allocation(row: AllocationRow) -> AllocationFact:
    return AllocationFact(
        row.workload, row.rank, row.epoch, row.node, row.state, row.amount, row.devices
    )
