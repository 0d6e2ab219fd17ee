"""Which cards are held, and which could be had: the map that past work is placed on."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from portal.demo.past.plan import Attempt, Held, Lab, PastJob


@dataclass(slots=True, eq=False)
class WaitingJob:
    """A job that waits, with what is left of it."""

    job: PastJob
    left_s: int

    def __lt__(self, other: "WaitingJob") -> bool:
        """Order by what is left, the shortest first."""
        return (self.left_s, self.job.number) < (other.left_s, other.job.number)


@dataclass(slots=True, eq=False)
class RunningJob:
    """An attempt of a job that holds whole cards."""

    waiting: WaitingJob
    attempt: Attempt
    cards: Sequence[int]
    is_leaving: bool = False


@dataclass(slots=True)
class Board:
    """The cards of a lab; jobs hold whole ones, notebooks slots of shared ones."""

    lab: Lab
    whole: dict[int, RunningJob] = field(default_factory=dict)
    """What holds a whole card."""
    slots: dict[int, list[bool]] = field(default_factory=dict)
    """Which slots of a shared card notebooks hold."""
    down: set[str] = field(default_factory=set)
    """Nodes that are not heard."""
    by_node: dict[str, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        """Look at the cards."""
        by_node = defaultdict(list)
        for number, card in enumerate(self.lab.cards):
            by_node[card.node].append(number)
            if card.slices > 1:
                self.slots[number] = [False] * card.slices
        self.by_node = dict(by_node)

    def running_on(self, node: str) -> list[RunningJob]:
        """Return the jobs that hold a card of a node."""
        found = {
            id(running): running
            for card, running in self.whole.items()
            if self.lab.cards[card].node == node
        }
        return list(found.values())

    def free_by_node(self, now: int) -> Mapping[str, Sequence[int]]:
        """Return the cards that a job may have now; of the lent ones those first that go back last."""
        kept = self._kept_by_day(now)
        return {
            node: [
                card
                for card in reversed(() if node in self.down else cards)
                if card not in self.whole and not any(self.slots.get(card, ())) and card != kept
            ]
            for node, cards in self.by_node.items()
        }

    def _kept_by_day(self, now: int) -> int | None:
        """Return the free shared card that is not lent during working hours."""
        minute = self.lab.minute_of_week(now)
        is_day = minute < 5 * 24 * 60 and 8 <= minute // 60 % 24 < 20
        if not is_day:
            return None
        untouched = (card for card, slots in self.slots.items() if not any(slots))
        return next((card for card in untouched if card not in self.whole), None)

    def find_ranks(
        self, job: PastJob, free: Mapping[str, Sequence[int]], kept: Collection[int]
    ) -> Sequence[Sequence[int]] | None:
        """Return free cards for each rank, each on one node; None where it does not fit now."""
        rooms: list[list[int]] = []
        for cards in free.values():
            usable = [
                card
                for card in cards
                if card not in kept and (job.preemptible or card not in self.slots)
            ]
            rooms += [usable] if len(usable) >= job.project.gpus else []
        if len(rooms) < job.project.ranks:
            return None
        rooms.sort(key=lambda room: (room[0] in self.slots, len(room)))
        return [room[: job.project.gpus] for room in rooms[: job.project.ranks]]

    def first_free(self, job: PastJob, now: int) -> tuple[int, Sequence[Sequence[int]]] | None:
        """Return when cards for all ranks come free that are never shared, and which; None is never."""
        rooms = []
        for node, cards in self.by_node.items():
            own = [card for card in cards if card not in self.slots and node not in self.down]
            own.sort(key=lambda card: self._free_at(card, now))
            if len(own) >= job.project.gpus:
                chosen = own[: job.project.gpus]
                rooms.append((self._free_at(chosen[-1], now), chosen))
        rooms.sort()
        if len(rooms) < job.project.ranks:
            return None
        ranks = [chosen for _, chosen in rooms[: job.project.ranks]]
        return rooms[job.project.ranks - 1][0], ranks

    def _free_at(self, card: int, now: int) -> int:
        running = self.whole.get(card)
        return running.attempt.ends_s if running else now

    def whole_card(self, card: int) -> Held:
        """Return all slots of a card."""
        return Held(card, tuple(range(self.lab.cards[card].slices)))

    def find_slots(self, count: int) -> Held | None:
        """Return free slots of the fullest card that has enough, else of one that nobody holds."""
        rooms = [
            (-sum(taken), card, [slot for slot, is_taken in enumerate(taken) if not is_taken])
            for card, taken in self.slots.items()
            if card not in self.whole and self.lab.cards[card].node not in self.down
        ]
        rooms = [room for room in rooms if len(room[2]) >= count]
        if not rooms:
            return None
        _, card, free = min(rooms)
        return Held(card, tuple(free[:count]))

    def take(self, held: Held) -> None:
        """Let a notebook hold these slots."""
        for slot in held.slots:
            self.slots[held.card][slot] = True

    def leave(self, held: Held) -> None:
        """Free the slots of a notebook."""
        for slot in held.slots:
            self.slots[held.card][slot] = False

    def least_lent(self) -> RunningJob | None:
        """Return the job on lent cards that holds fewest and began last; None if one leaves already."""
        lent = [running for card, running in self.whole.items() if card in self.slots]
        if not lent or any(running.is_leaving for running in lent):
            return None
        return min(lent, key=lambda each: (len(each.cards), -each.attempt.placed_s))
