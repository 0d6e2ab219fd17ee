"""What is free on the nodes of one pool, as arrays: one row per node, one column per card.

Row numbers are positions in the sequence that the fleet was made from. That order is the one in
which equally good nodes are used, so it must not depend on how rows were read.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scheduler.core.model.mig import MigPlacements, MigProfiles, find_profile, placements_of_profile
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
_ALL: Final = slice(None)


@dataclass(frozen=True, slots=True)
class CardSpec:
    """One card as it stands."""

    model: str = ""
    mib: int = 0
    """Its memory in all, in MiB."""
    free: int = MILLI_PER_GPU
    """Milli-compute that nobody holds."""
    free_mib: int | None = None
    """Memory that no share holds, in MiB; None is all of it."""
    island: int = 0
    """Cards of one node with the same number reach each other over NVLink."""
    whole: bool = True
    """May be given away whole."""
    shared: bool = True
    """May be given away in shares."""
    profiles: MigProfiles = ()
    """What it can be cut into in hardware; then it is given away in nothing else."""
    open: int = 0
    """Mask of its memory slices that nobody holds."""


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """One node as it stands; `cpu` and `memory` are what nobody holds."""

    cpu: int
    """Milli-CPU."""
    memory: int
    """MiB."""
    cards: tuple[CardSpec, ...] = ()
    switch: str = ""
    cpu_total: int | None = None
    """With what others hold; None is `cpu`."""
    memory_total: int | None = None
    """With what others hold; None is `memory`."""


class NodeTable:
    """Free amounts of N nodes with up to G cards each; absent cards have nothing free.

    `take` and `give` are exact inverses and cost O(cards of the change); which slices of a card that
    is cut in hardware are free whoever keeps the books writes into `open`. Each stamps its node with
    a rising number, so that whoever remembers something about a node sees that it has changed.
    """

    def __init__(self, nodes: Sequence[NodeSpec]) -> None:
        size = len(nodes)
        width = max((len(node.cards) for node in nodes), default=0) or 1
        self.cpu: Ints = np.array([node.cpu for node in nodes], np.int64)
        self.memory: Ints = np.array([node.memory for node in nodes], np.int64)
        self.cpu_total: Ints = np.array(
            [node.cpu if node.cpu_total is None else node.cpu_total for node in nodes], np.int64
        )
        self.memory_total: Ints = np.array(
            [node.memory if node.memory_total is None else node.memory_total for node in nodes],
            np.int64,
        )
        self.free: Ints = np.zeros((size, width), np.int64)
        self.free_mib: Ints = np.zeros((size, width), np.int64)
        self.island: Ints = np.zeros((size, width), np.int64)
        self.kind: Ints = np.zeros((size, width), np.int64)
        """Index into `kinds`; 0 where there is no card."""
        self.whole: Mask = np.zeros((size, width), np.bool_)
        self.shared: Mask = np.zeros((size, width), np.bool_)
        self.cuts: tuple[MigProfiles, ...] = (
            (),
            *dict.fromkeys(card.profiles for node in nodes for card in node.cards if card.profiles),
        )
        """The ways to cut cards in hardware; the first stands for those that are not."""
        self.cut: Ints = np.zeros((size, width), np.int64)
        """Index into `cuts`."""
        self.open: Ints = np.zeros((size, width), np.int64)
        """Masks of free memory slices of cards that are cut in hardware."""
        self.installed: Ints = np.array([len(node.cards) for node in nodes], np.int64)
        switches = sorted({node.switch for node in nodes})
        self.switch: Ints = np.array([switches.index(node.switch) for node in nodes], np.int64)
        kinds = sorted({(card.model, card.mib) for node in nodes for card in node.cards})
        self.kinds: tuple[tuple[str, int], ...] = (("", -1), *kinds)
        """Model and MiB of each kind of card; the first stands for no card."""
        self.stamp: Ints = np.zeros(size, np.int64)
        self.clock = 0
        """The latest stamp."""
        codes = {kind: code for code, kind in enumerate(kinds, start=1)}
        for row, node in enumerate(nodes):
            for column, card in enumerate(node.cards):
                self._fit(row, column, card, codes)

    def _fit(
        self, row: int, column: int, card: CardSpec, codes: dict[tuple[str, int], int]
    ) -> None:
        self.free[row, column] = card.free
        self.free_mib[row, column] = card.mib if card.free_mib is None else card.free_mib
        self.island[row, column] = card.island
        self.kind[row, column] = codes[card.model, card.mib]
        self.whole[row, column] = card.whole
        self.shared[row, column] = card.shared
        if card.profiles:
            self.cut[row, column] = self.cuts.index(card.profiles)
            self.open[row, column] = card.open

    def copy(self) -> "NodeTable":
        """Return the same nodes and cards, of which what is free changes apart from these."""
        twin = copy(self)
        twin.cpu, twin.memory = self.cpu.copy(), self.memory.copy()
        twin.free, twin.free_mib = self.free.copy(), self.free_mib.copy()
        twin.open, twin.stamp = self.open.copy(), self.stamp.copy()
        return twin

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.cpu)

    def suits(self, shape: Shape) -> Mask:
        """Return (N, G): the cards that a shape could ever have, whoever holds them now."""
        suited: Mask = self.allows(shape)[self.kind] & (self.shared if shape.share else self.whole)
        if shape.profile or len(self.cuts) > 1:
            suited &= self._can_be_cut(shape)[self.cut]
        return suited

    def allows(self, shape: Shape) -> Mask:
        """Return (kinds,): which kinds of cards have the model and the memory for a shape."""
        return np.array(
            [
                code > 0 and (not shape.models or model in shape.models) and mib >= shape.card_mib
                for code, (model, mib) in enumerate(self.kinds)
            ],
            np.bool_,
        )

    def partitions(self, shape: Shape, nodes: Ints | slice = _ALL) -> Ints:
        """Return (n, G): how many partitions of the shape's profile fit on each card."""
        return self._of_profile(shape, nodes, lambda known: known.counts)

    def losses(self, shape: Shape, nodes: Ints) -> Ints:
        """Return (n, G): what one more partition takes from what each card can be used for."""
        return self._of_profile(shape, nodes, lambda known: known.loss)

    def _of_profile(
        self, shape: Shape, nodes: Ints | slice, answer: Callable[[MigPlacements], Ints]
    ) -> Ints:
        cut, free = self.cut[nodes], self.open[nodes]
        found: Ints = np.zeros(cut.shape, np.int64)
        for code, profiles in enumerate(self.cuts):
            known = placements_of_profile(profiles, shape.profile)
            if known is not None:
                found = np.where(cut == code, answer(known)[free], found)
        return found

    def _can_be_cut(self, shape: Shape) -> Mask:
        """Tell for each way to cut whether the shape is one of its partitions, or no partition."""
        if not shape.profile:
            return np.array([not profiles for profiles in self.cuts], np.bool_)
        found = [find_profile(profiles, shape.profile) for profiles in self.cuts]
        return np.array([each is not None and each.size == shape.span for each in found], np.bool_)

    def take(self, node: int, shape: Shape, cards: Sequence[int]) -> None:
        """Hold the shape on these cards of the node.

        Raises:
            ValueError: there is less than that, or it is the wrong number of cards; nothing changed.
        """
        milli = shape.share or MILLI_PER_GPU
        if len(cards) != (1 if shape.share else shape.cards) or len(set(cards)) != len(cards):
            raise ValueError("the cards do not match the request")
        if self.cpu[node] < shape.cpu or self.memory[node] < shape.memory:
            raise ValueError("the node has less than that")
        if any(
            self.free[node, card] < milli or self.free_mib[node, card] < shape.share_mib
            for card in cards
        ):
            raise ValueError("a card has less than that")
        self._change(node, shape, cards, -1)

    def give(self, node: int, shape: Shape, cards: Sequence[int]) -> None:
        """Undo `take` with the same arguments.

        Raises:
            ValueError: a card would have more than it can have; nothing changed.
        """
        if any(
            self.free[node, card] + (shape.share or MILLI_PER_GPU) > MILLI_PER_GPU for card in cards
        ):
            raise ValueError("this was not taken")
        self._change(node, shape, cards, 1)

    def renew(
        self,
        node: int,
        cpu: int,
        memory: int,
        free: Sequence[int],
        free_mib: Sequence[int],
    ) -> None:
        """Set what is free on a node, card by card; whoever keeps the books knows it better."""
        self.cpu[node] = cpu
        self.memory[node] = memory
        self.free[node, : len(free)] = free
        self.free_mib[node, : len(free)] = free_mib
        self.clock += 1
        self.stamp[node] = self.clock

    def _change(self, node: int, shape: Shape, cards: Sequence[int], sign: int) -> None:
        self.cpu[node] += sign * shape.cpu
        self.memory[node] += sign * shape.memory
        for card in cards:
            self.free[node, card] += sign * (shape.share or MILLI_PER_GPU)
            self.free_mib[node, card] += sign * shape.share_mib
        self.clock += 1
        self.stamp[node] = self.clock
