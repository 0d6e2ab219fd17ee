"""When a gang fits on real placements: nodes and devices, as running work ends.

Free capacity of a node only grows as its work ends, so the moments at which it can take one, two or
more replicas follow from its own work alone; the gang starts with the latest of the moments that it
needs. Exact, and cheap to repeat: a node that did not change is not walked again.

Moments are `At`: 0 is now, a known end is its time, and work whose end is not known yet (it is
being started) counts its limit from `UNKNOWN` on. So what is remembered holds at any later `now`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from scheduler.core.entities import AcceleratorId, Millis, NodeId, Request, RunningWorkload
from scheduler.core.filters import replicas_that_fit
from scheduler.core.room import Devices, Room

At = int
FREE: Final[At] = 0
SOON: Final[At] = 1
"""Told to stop: any moment now, nobody knows when."""
UNKNOWN: Final[At] = 1 << 60
DAY_MS: Final = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class Ending:
    """What one workload gives back on one node, and when at the latest."""

    at: At
    devices: Devices
    cpu: int
    memory: int


Endings = tuple[Ending, ...]
EndOf = Callable[[RunningWorkload], At]


@dataclass(frozen=True, slots=True)
class Start:
    """Where and when a gang fits."""

    at: At
    nodes: tuple[tuple[NodeId, int], ...]
    """(node, replicas)."""

    def latest(self, now: Millis) -> Millis:
        """Return the moment of the start, by the limits of what runs."""
        return moment(self.at, now)

    def sure(self, now: Millis) -> Millis:
        """Return the moment that others may count on not coming before: now, if it may move."""
        return now if self.at >= UNKNOWN else Millis(max(self.at, now))


def moment(at: At, now: Millis) -> Millis:
    """Return the time that an `At` means at `now`; work over its limit ends now."""
    return Millis(now + at - UNKNOWN if at >= UNKNOWN else max(at, now))


def end_after(start: At, seconds: int, now: Millis) -> At:
    """Return when something ends that takes so long from its start on."""
    return (max(start, now) if start > FREE else now) + seconds * 1000


def is_sure(at: At) -> bool:
    """Tell whether a moment stands fast, however late anybody looks."""
    return SOON < at < UNKNOWN


def by_limit(work: RunningWorkload) -> At:
    """Return when the work ends at the latest."""
    if work.stopping:
        return SOON
    if work.ends_at is None:
        return UNKNOWN + (work.time_limit_s * 1000 if work.time_limit_s else DAY_MS)
    return work.ends_at


def by_prediction(work: RunningWorkload) -> At:
    """Return when the work is expected to end; for display and hints, never for a promise."""
    return by_limit(work) if work.expected_end is None or work.stopping else work.expected_end


class Memory:
    """What was worked out about nodes before; good for as long as a node's values are the same."""

    def __init__(self, end_of: EndOf = by_limit) -> None:
        """Start empty."""
        self._end_of = end_of
        self._endings: dict[NodeId, tuple[tuple[RunningWorkload, ...], Endings]] = {}
        self._times: dict[Request, dict[NodeId, tuple[Room, Endings, tuple[At, ...]]]] = {}

    def endings(self, node: NodeId, held: tuple[RunningWorkload, ...]) -> Endings:
        """Return what the holders of a node give back, by time."""
        known = self._endings.get(node)
        if known is not None and known[0] is held:
            return known[1]
        rows = (_ending(work, node, self._end_of(work)) for work in held)
        endings = tuple(sorted(rows, key=lambda ending: (ending.at, ending.devices)))
        self._endings[node] = (held, endings)
        return endings

    def times(self, request: Request, room: Room, endings: Endings) -> tuple[At, ...]:
        """Return from when on the room takes one, two, … replicas."""
        known = self._times.setdefault(request, {})
        row = known.get(room.node)
        if row is not None and row[0] is room and row[1] is endings:
            return row[2]
        times = replica_times(request, room, endings)
        known[room.node] = (room, endings, times)
        return times


class Timeline:
    """The rooms of one pool from now on. `occupy` adds what is expected to start."""

    def __init__(
        self,
        rooms: Mapping[NodeId, Room],
        held: Mapping[NodeId, tuple[RunningWorkload, ...]],
        memory: Memory,
    ) -> None:
        """Take the free rooms and, for each node, who holds what of it."""
        self._memory = memory
        self._rooms = dict(rooms)
        self._endings: dict[NodeId, Endings] = {
            node: memory.endings(node, held[node]) if node in held else () for node in self._rooms
        }

    def earliest(self, request: Request, avoid: frozenset[NodeId] = frozenset()) -> Start | None:
        """Return the earliest start of all replicas together; None if the nodes are too few.

        Nodes to avoid are used only if the gang cannot do without them.
        """
        times = {
            node: found
            for node, room in self._rooms.items()
            if (found := self._memory.times(request, room, self._endings[node]))
        }
        wanted = {node: found for node, found in times.items() if node not in avoid}
        return self._earliest(request, wanted) or (
            self._earliest(request, times) if len(wanted) < len(times) else None
        )

    def fits_now(self, request: Request) -> bool:
        """Tell whether all replicas fit into what is free."""
        missing = request.replicas
        for node, room in self._rooms.items():
            for at in self._memory.times(request, room, self._endings[node]):
                if at != FREE:
                    break
                missing -= 1
            if missing <= 0:
                return True
        return False

    def occupy(self, request: Request, start: Start, until: At) -> None:
        """Let the gang hold its nodes from its start until then; nothing fits in before it."""
        for node, replicas in start.nodes:
            room, endings = self._rooms[node], self._endings[node]
            want = wanted_devices(request, replicas, room, endings, start.at)
            cpu, memory = request.cpu * replicas, request.memory * replicas
            now_cpu, now_memory = min(cpu, max(room.cpu, 0)), min(memory, max(room.memory, 0))
            self._rooms[node] = room.without(free_part(want, room), now_cpu, now_memory)
            later = _passed_on(endings, start.at, want, cpu - now_cpu, memory - now_memory)
            later.append(Ending(until, want, cpu, memory))
            self._endings[node] = tuple(sorted(later, key=lambda item: (item.at, item.devices)))

    def kept_now(
        self, request: Request, start: Start
    ) -> Iterator[tuple[NodeId, Devices, int, int]]:
        """Yield what must stay free from now on for this start: node, devices, CPU and memory.

        That is what it needs then, less what surely comes free until then.
        """
        for node, replicas in start.nodes:
            room, endings = self._rooms[node], self._endings[node]
            want = wanted_devices(request, replicas, room, endings, start.at)
            sure = [ending for ending in endings if is_sure(ending.at) and ending.at <= start.at]
            cpu = request.cpu * replicas - sum(ending.cpu for ending in sure)
            memory = request.memory * replicas - sum(ending.memory for ending in sure)
            yield node, free_part(want, room), max(cpu, 0), max(memory, 0)

    def _earliest(self, request: Request, times: Mapping[NodeId, tuple[At, ...]]) -> Start | None:
        moments = sorted(at for found in times.values() for at in found)
        if len(moments) < request.replicas:
            return None
        at = moments[request.replicas - 1]
        options = [
            (sum(1 for each in found if each <= at), node)
            for node, found in times.items()
            if found[0] <= at
        ]
        return Start(at, self._nodes(request, options))

    def _nodes(
        self, request: Request, options: list[tuple[int, NodeId]]
    ) -> tuple[tuple[NodeId, int], ...]:
        """Take the fewest nodes, of those the ones that lack least, and of those the tightest."""
        chosen: list[tuple[NodeId, int]] = []
        missing = request.replicas
        while missing > 0:
            most = min(missing, max(replicas for replicas, _ in options))
            roomy = [(replicas, node) for replicas, node in options if replicas >= most]
            _, best = min(roomy, key=lambda option: self._cost(request, most, *option))
            chosen.append((best, most))
            missing -= most
            options = [(replicas, node) for replicas, node in options if node != best]
        return tuple(chosen)

    def _cost(
        self, request: Request, most: int, replicas: int, node: NodeId
    ) -> tuple[int, int, int, int, NodeId]:
        room = self._rooms[node]
        return (*lack(request, most, room), replicas, node)


def lack(request: Request, replicas: int, room: Room) -> tuple[int, int, int]:
    """Return how much a room lacks now for so many replicas: devices, CPU, memory."""
    cpu = max(request.cpu * replicas - room.cpu, 0)
    memory = max(request.memory * replicas - room.memory, 0)
    if request.cards:
        return max(request.cards * replicas - len(room.whole_cards(request)), 0), cpu, memory
    missing = replicas - replicas_that_fit(_devices_only(request, replicas), room)
    most = max((len(card.free) for card in room.cut_cards(request)), default=0)
    return max(missing * request.slices - most, 0) if missing > 0 else 0, cpu, memory


def replica_times(request: Request, room: Room, endings: Endings) -> tuple[At, ...]:
    """Return from when on the room takes one, two, … replicas, at most all of them."""
    if request.cards:
        return _times_of_cards(request, room, endings)
    times = [FREE] * replicas_that_fit(request, room)
    for ending in endings:
        if len(times) >= request.replicas:
            break
        room = room.with_back(ending.devices, ending.cpu, ending.memory)
        more = replicas_that_fit(request, room) - len(times)
        times += [ending.at] * more
    return tuple(times)


def _times_of_cards(request: Request, room: Room, endings: Endings) -> tuple[At, ...]:
    """Count whole cards instead of moving them about: the same answer, much sooner."""
    every = _suitable(request, room)
    cards, cpu, memory = len(room.whole_cards(request)), room.cpu, room.memory
    times = [FREE] * _count(request, cards, cpu, memory)
    for ending in endings:
        if len(times) >= request.replicas:
            break
        cards += sum(1 for card, _ in ending.devices if card in every)
        cpu += ending.cpu
        memory += ending.memory
        times += [ending.at] * (_count(request, cards, cpu, memory) - len(times))
    return tuple(times)


def _count(request: Request, cards: int, cpu: int, memory: int) -> int:
    fitting = min(request.replicas, cards // request.cards)
    if request.cpu:
        fitting = min(fitting, cpu // request.cpu)
    if request.memory:
        fitting = min(fitting, memory // request.memory)
    return max(fitting, 0)


def _suitable(request: Request, room: Room) -> frozenset[AcceleratorId]:
    """Return the exclusive cards of a node that suit the request, taken ones included."""
    return frozenset(
        card.view.id
        for card in room.cards
        if not card.view.shared
        and (not request.models or card.view.model in request.models)
        and card.view.memory_mib >= request.card_mib
    )


def wanted_devices(
    request: Request, replicas: int, room: Room, endings: Endings, at: At
) -> Devices:
    """Return the devices that so many replicas hold from `at` on.

    What surely comes free by then is taken before what is free now, which stays open to others
    for longer; what is free now before what comes free nobody knows when.
    """
    rank: dict[tuple[AcceleratorId, int], int] = {}
    then = room
    for ending in endings:
        if ending.at <= at:
            rank |= dict.fromkeys(ending.devices, 0 if is_sure(ending.at) else 2)
            then = then.with_back(ending.devices, ending.cpu, ending.memory)
    if request.cards:
        slots = sorted(
            ((card.view.id, 0) for card in then.whole_cards(request)),
            key=lambda device: rank.get(device, 1),
        )
        return tuple(slots[: request.cards * replicas])
    return _wanted_slots(request, replicas, then, rank)


def _wanted_slots(
    request: Request, replicas: int, then: Room, rank: Mapping[tuple[AcceleratorId, int], int]
) -> Devices:
    """Take slices card by card: those first of which least is free now, then the fullest."""
    if not request.slices:
        return ()
    options = []
    for card in then.cut_cards(request):
        slots = sorted(
            ((card.view.id, slot) for slot in card.free),
            key=lambda device: (rank.get(device, 1), device[1]),
        )
        fitting = len(slots) // request.slices
        if fitting:
            ranks = [rank.get(device, 1) for device in slots[: request.slices]]
            options.append((max(ranks), sum(ranks), len(slots), slots, fitting))
    options.sort(key=lambda option: option[:3])
    devices: list[tuple[AcceleratorId, int]] = []
    for _, _, _, slots, fitting in options:
        missing = replicas - len(devices) // request.slices
        devices += slots[: request.slices * min(fitting, missing)]
    return tuple(devices)


def free_part(devices: Iterable[tuple[AcceleratorId, int]], room: Room) -> Devices:
    """Return those of the devices that are free in the room."""
    free = {(card.view.id, slot) for card in room.cards for slot in card.free}
    return tuple(device for device in devices if device in free)


def _ending(work: RunningWorkload, node: NodeId, at: At) -> Ending:
    mine = [placement for placement in work.placements if placement.node == node]
    devices = tuple(device for placement in mine for device in placement.devices)
    return Ending(at, devices, work.request.cpu * len(mine), work.request.memory * len(mine))


def _passed_on(endings: Endings, at: At, devices: Devices, cpu: int, memory: int) -> list[Ending]:
    """Return the endings without what goes on, by `at`, to somebody who waits for it."""
    taken, later = frozenset(devices), []
    for ending in reversed(endings):
        less_cpu = min(ending.cpu, cpu) if ending.at <= at else 0
        less_memory = min(ending.memory, memory) if ending.at <= at else 0
        cpu, memory = cpu - less_cpu, memory - less_memory
        rest = tuple(device for device in ending.devices if device not in taken)
        later.append(Ending(ending.at, rest, ending.cpu - less_cpu, ending.memory - less_memory))
    return later


def _devices_only(request: Request, replicas: int) -> Request:
    return Request(
        replicas=replicas,
        slices=request.slices,
        models=request.models,
        card_mib=request.card_mib,
    )
