"""What is free on the nodes of one pool, as arrays: one row per node, one column per card.

Row numbers are positions in the sequence that the table was made from. Of equally good nodes the
first row is used, so the order must not depend on how rows were read.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scheduler.core.model.card_kind import CardKind
from scheduler.core.model.mig import MigPlacements, MigProfiles, find_profile, placements_of_profile
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
_ALL: Final = slice(None)


@dataclass(frozen=True, slots=True)
class CardSpec:
    """One card as it stands."""

    model: str = ""
    memory_mib: int = 0
    """Its memory in all, in MiB."""
    free_milli: int = MILLI_PER_GPU
    """Milli-GPUs that are not held."""
    free_memory_mib: int | None = None
    """Memory that no share holds, in MiB; None is all of it."""
    island: int = 0
    """Cards of one node with the same number reach each other over NVLink."""
    allows_whole: bool = True
    """Whether it may be allocated whole."""
    allows_shares: bool = True
    """Whether it may be allocated in shares."""
    mig_profiles: MigProfiles = ()
    """Its MIG profiles; with any, it is allocated in MIG instances only."""
    free_slices: int = 0
    """Bit mask of its free memory slices."""
    features: frozenset[str] = frozenset()
    bandwidth_gbps: int = 0
    """Memory bandwidth in gigabytes per second; 0 where it is not known."""

    @property
    def kind(self) -> CardKind:
        """What requests may choose it by; MIG profiles are looked at apart."""
        return CardKind(
            self.model, self.memory_mib, features=self.features, bandwidth_gbps=self.bandwidth_gbps
        )


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """One node as it stands; `cpu_milli` and `memory_mib` are what is free."""

    cpu_milli: int
    """Milli-CPU."""
    memory_mib: int
    """MiB."""
    cards: tuple[CardSpec, ...] = ()
    switch: str = ""
    cpu_total_milli: int | None = None
    """Free or not; None is `cpu_milli`."""
    memory_total_mib: int | None = None
    """Free or not; None is `memory_mib`."""


class NodeTable:
    """Free amounts of N nodes with up to G cards each; absent cards have nothing free.

    `allocate` and `release` are exact inverses and cost O(cards of the change). Which slices of a MIG
    card are free is written into `free_slices` by the caller. Every change sets `changed_at` of its
    node to a rising version, so that remembered scores of a node can be checked for changes.
    """

    def __init__(self, nodes: Sequence[NodeSpec]) -> None:
        size = len(nodes)
        width = max((len(node.cards) for node in nodes), default=0) or 1
        self.cpu: Ints = np.array([node.cpu_milli for node in nodes], np.int64)
        self.memory: Ints = np.array([node.memory_mib for node in nodes], np.int64)
        self.cpu_total: Ints = np.array(
            [
                node.cpu_milli if node.cpu_total_milli is None else node.cpu_total_milli
                for node in nodes
            ],
            np.int64,
        )
        self.memory_total: Ints = np.array(
            [
                node.memory_mib if node.memory_total_mib is None else node.memory_total_mib
                for node in nodes
            ],
            np.int64,
        )
        self.free: Ints = np.zeros((size, width), np.int64)
        self.free_mib: Ints = np.zeros((size, width), np.int64)
        self.island: Ints = np.zeros((size, width), np.int64)
        self.kind: Ints = np.zeros((size, width), np.int64)
        """Index into `kinds`; 0 where there is no card."""
        self.allows_whole: Mask = np.zeros((size, width), np.bool_)
        self.allows_shares: Mask = np.zeros((size, width), np.bool_)
        self.profile_sets: tuple[MigProfiles, ...] = (
            (),
            *dict.fromkeys(
                card.mig_profiles for node in nodes for card in node.cards if card.mig_profiles
            ),
        )
        """The different sets of MIG profiles; the first, empty one is that of cards without MIG."""
        self.profile_set: Ints = np.zeros((size, width), np.int64)
        """Index into `cuts`."""
        self.free_slices: Ints = np.zeros((size, width), np.int64)
        """Masks of free memory slices of MIG cards."""
        self.installed: Ints = np.array([len(node.cards) for node in nodes], np.int64)
        switches = sorted({node.switch for node in nodes})
        self.switch: Ints = np.array([switches.index(node.switch) for node in nodes], np.int64)
        kinds = sorted({card.kind for node in nodes for card in node.cards}, key=_kind_order)
        self.kinds: tuple[CardKind, ...] = (CardKind("", -1), *kinds)
        """The kinds of cards; the first stands for no card."""
        self.changed_at: Ints = np.zeros(size, np.int64)
        self.version = 0
        """The version of the latest change."""
        codes = {kind: code for code, kind in enumerate(kinds, start=1)}
        for row, node in enumerate(nodes):
            for column, card in enumerate(node.cards):
                self._fit(row, column, card, codes)

    def _fit(self, row: int, column: int, card: CardSpec, codes: dict[CardKind, int]) -> None:
        self.free[row, column] = card.free_milli
        self.free_mib[row, column] = (
            card.memory_mib if card.free_memory_mib is None else card.free_memory_mib
        )
        self.island[row, column] = card.island
        self.kind[row, column] = codes[card.kind]
        self.allows_whole[row, column] = card.allows_whole
        self.allows_shares[row, column] = card.allows_shares
        if card.mig_profiles:
            self.profile_set[row, column] = self.profile_sets.index(card.mig_profiles)
            self.free_slices[row, column] = card.free_slices

    def copy(self) -> "NodeTable":
        """Return the same nodes and cards, with free amounts that change independently."""
        twin = copy(self)
        twin.cpu, twin.memory = self.cpu.copy(), self.memory.copy()
        twin.free, twin.free_mib = self.free.copy(), self.free_mib.copy()
        twin.free_slices, twin.changed_at = self.free_slices.copy(), self.changed_at.copy()
        return twin

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.cpu)

    @cached_property
    def build(self) -> Ints:
        """(N,): equal numbers for nodes that are built equally, card by card."""
        columns = (self.kind, self.allows_whole, self.allows_shares, self.profile_set)
        rows = np.column_stack((self.cpu_total, self.memory_total, *columns))
        numbers: dict[bytes, int] = {}
        return np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], np.int64)

    @cached_property
    def _full(self) -> tuple[Ints, Ints]:
        """(N, G): milli-GPUs and MiB of each card when nothing of it is held."""
        memory: Ints = np.array([max(kind.memory_mib, 0) for kind in self.kinds], np.int64)
        return (self.kind > 0) * MILLI_PER_GPU, memory[self.kind]

    def is_idle(self, nodes: Ints) -> Mask:
        """Return (n,): whether nothing is held of these nodes; false for nodes with MIG."""
        milli, mib = self._full
        cards = (self.free[nodes] == milli[nodes]) & (self.free_mib[nodes] == mib[nodes])
        cards &= self.profile_set[nodes] == 0
        idle: Mask = cards.all(axis=1)
        idle &= self.cpu[nodes] == self.cpu_total[nodes]
        idle &= self.memory[nodes] == self.memory_total[nodes]
        return idle

    def suitable_cards(self, shape: Shape) -> Mask:
        """Return (N, G): the cards that a shape could ever have, free or not."""
        suited: Mask = self.allowed_kinds(shape)[self.kind] & (
            self.allows_shares if shape.gpu_milli else self.allows_whole
        )
        if shape.mig_profile or len(self.profile_sets) > 1:
            suited &= self._can_be_cut(shape)[self.profile_set]
        return suited

    def allowed_kinds(self, shape: Shape) -> Mask:
        """Return (kinds,): which kinds of cards a shape may have, by all that it chooses by."""
        return np.array(
            [
                code > 0
                and (not shape.models or kind.model in shape.models)
                and kind.memory_mib >= shape.min_card_memory_mib
                and (not shape.max_card_memory_mib or kind.memory_mib <= shape.max_card_memory_mib)
                and shape.features <= kind.features
                and kind.bandwidth_gbps >= shape.min_bandwidth_gbps
                for code, kind in enumerate(self.kinds)
            ],
            np.bool_,
        )

    def count_mig_instances(self, shape: Shape, nodes: Ints | slice = _ALL) -> Ints:
        """Return (n, G): how many MIG instances of the shape's profile fit on each card."""
        return self._of_profile(shape, nodes, lambda known: known.counts)

    def mig_losses(self, shape: Shape, nodes: Ints) -> Ints:
        """Return (n, G): how much one more MIG instance takes from what each card can be used for."""
        return self._of_profile(shape, nodes, lambda known: known.loss)

    def _of_profile(
        self, shape: Shape, nodes: Ints | slice, answer: Callable[[MigPlacements], Ints]
    ) -> Ints:
        cut, free = self.profile_set[nodes], self.free_slices[nodes]
        found: Ints = np.zeros(cut.shape, np.int64)
        for code, profiles in enumerate(self.profile_sets):
            known = placements_of_profile(profiles, shape.mig_profile)
            if known is not None:
                found = np.where(cut == code, answer(known)[free], found)
        return found

    def _can_be_cut(self, shape: Shape) -> Mask:
        """Return for each set of MIG profiles whether the shape is one of them, or needs none."""
        if not shape.mig_profile:
            return np.array([not profiles for profiles in self.profile_sets], np.bool_)
        found = [find_profile(profiles, shape.mig_profile) for profiles in self.profile_sets]
        return np.array(
            [each is not None and each.size == shape.mig_slices for each in found], np.bool_
        )

    def allocate(self, node: int, shape: Shape, cards: Sequence[int]) -> None:
        """Take the shape on these cards of the node.

        Raises:
            ValueError: there is less than that, or it is the wrong number of cards; nothing changed.
        """
        milli = shape.gpu_milli or MILLI_PER_GPU
        if len(cards) != (1 if shape.gpu_milli else shape.gpus) or len(set(cards)) != len(cards):
            raise ValueError("the cards do not match the request")
        if self.cpu[node] < shape.cpu_milli or self.memory[node] < shape.memory_mib:
            raise ValueError("the node has less than that")
        if any(
            self.free[node, card] < milli or self.free_mib[node, card] < shape.gpu_memory_mib
            for card in cards
        ):
            raise ValueError("a card has less than that")
        self._change(node, shape, cards, -1)

    def release(self, node: int, shape: Shape, cards: Sequence[int]) -> None:
        """Undo `allocate` with the same arguments.

        Raises:
            ValueError: a card would have more than it can have; nothing changed.
        """
        if any(
            self.free[node, card] + (shape.gpu_milli or MILLI_PER_GPU) > MILLI_PER_GPU
            for card in cards
        ):
            raise ValueError("this was not taken")
        self._change(node, shape, cards, 1)

    def set_free(
        self,
        node: int,
        cpu: int,
        memory: int,
        free: Sequence[int],
        free_mib: Sequence[int],
    ) -> None:
        """Set what is free on a node, card by card, as the ledger has it."""
        self.cpu[node] = cpu
        self.memory[node] = memory
        self.free[node, : len(free)] = free
        self.free_mib[node, : len(free)] = free_mib
        self.version += 1
        self.changed_at[node] = self.version

    def _change(self, node: int, shape: Shape, cards: Sequence[int], sign: int) -> None:
        self.cpu[node] += sign * shape.cpu_milli
        self.memory[node] += sign * shape.memory_mib
        for card in cards:
            self.free[node, card] += sign * (shape.gpu_milli or MILLI_PER_GPU)
            self.free_mib[node, card] += sign * shape.gpu_memory_mib
        self.version += 1
        self.changed_at[node] = self.version


def _kind_order(kind: CardKind) -> tuple[str, int, list[str], int]:
    return kind.model, kind.memory_mib, sorted(kind.features), kind.bandwidth_gbps
