"""Mode `mig`: hardware partitions. A share is one of them; cutting a card is an administrator's act.

A card is cut only while nobody holds any of it, never under load and never by itself; what was made
is read back, and a cut that failed half way is undone.
"""

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nodeagent.core.state import Cause
from nodeagent.ports import Confines, Fittings, StartError
from nodeagent.sharing.grants import Grant
from nodeagent.sharing.mig_plan import Layout, Placed, Profile, layout, presumed_size
from nodeagent.sharing.nvml import MIB, Cards
from nodeagent.sharing.records import Record
from wire.facts import AcceleratorFacts, Isolation, MigDevice

PROFILES_MAX: Final = 16
INSTANCES_MAX: Final = 16
PREFIX: Final = "MIG "
"""Before the names of profiles in the library's answers."""


class MigError(Exception):
    """The card was not cut as asked; it is as it was before, or the words say how it is."""


class MigMode:
    """One partition per slot of a card."""

    isolation: Final = Isolation.MIG

    def __init__(self, facts: Callable[[], Sequence[AcceleratorFacts]]) -> None:
        self._facts = facts

    async def fit(self, record: Record) -> Fittings:
        """Name the partitions in place of their cards."""
        cut = {item.uuid: item.mig for item in self._facts()}
        seen = [
            part.uuid
            for grant in record.by_mode(self.isolation)
            for part in parts_of(grant, cut.get(grant.uuid, ()))
        ]
        return Fittings(devices=tuple(seen))

    async def enforce(self, record: Record, confines: Confines) -> None:
        """See that the card is still cut as it was: the hardware does the rest."""
        del confines
        await self.fit(record)

    async def release(self, record: Record) -> None:
        """A partition stays for the next tenant."""


def parts_of(grant: Grant, cut: Sequence[MigDevice]) -> tuple[MigDevice, ...]:
    """Return the partition of each slot, by its place on the card; raises `StartError`."""
    ordered = sorted(cut, key=lambda item: (item.start, item.uuid))
    if max(grant.slots) >= len(ordered):
        words = f"{grant.uuid} is cut into {len(ordered)}, slot {max(grant.slots)} is not there"
        raise StartError(Cause.ISOLATION_UNAVAILABLE, words)
    parts = tuple(ordered[slot] for slot in grant.slots)
    held = sum(item.memory_mib for item in parts)
    if held < grant.memory_mib:
        words = f"{grant.uuid}: partitions of {held} MiB, {grant.memory_mib} MiB guaranteed"
        raise StartError(Cause.ISOLATION_UNAVAILABLE, words)
    return parts


@dataclass(frozen=True, slots=True)
class MigCutter:
    """Reads and changes how cards are cut. Needs root."""

    cards: Cards

    async def preview(self, uuid: str, wanted: Sequence[str]) -> Layout:
        """Return the layout without touching the card; raises `LayoutError`, `NvmlFailedError`."""
        return layout(await self.profiles(uuid), wanted)

    async def profiles(self, uuid: str) -> tuple[Profile, ...]:
        """Return what the card can be cut into; empty when it cannot."""
        return await self.cards.ask(lambda: tuple(self._profiles(self.cards.handle(uuid))))

    async def apply(self, uuid: str, wanted: Sequence[str]) -> Layout:
        """Cut a drained card, and prove it; an empty wish makes it whole again.

        Raises:
            LayoutError: the partitions do not fit.
            MigError: the card is in use, needs a reset, or is not cut as asked.
            NvmlFailedError: the library refused.
        """
        await self.preview(uuid, wanted)
        return await self.cards.ask(lambda: self._cut(self.cards.handle(uuid), wanted))

    def _cut(self, card: Any, wanted: Sequence[str]) -> Layout:
        self._refuse_busy(card)
        self._clear(card)
        self._set_mode(card, is_on=bool(wanted))
        # Planned again: a card names the places of its profiles only once it may be cut.
        planned = layout(self._profiles(card), wanted)
        try:
            for item in planned.placed:
                self._make(card, item)
        except self.cards.library.NVMLError as error:
            self._clear(card)
            raise MigError(f"not cut, nothing is left of it: {error}") from error
        found = sorted((info.placement.start, info.profileId) for _, info in self._made(card))
        if found != [(item.start, item.profile.id) for item in planned.placed]:
            raise MigError(f"the card is cut as {found}, which is not what was asked for")
        return planned

    def _refuse_busy(self, card: Any) -> None:
        """Nobody may hold any of it; a driver that does not tell of partitions tells when clearing."""
        if busy := self.cards.library.nvmlDeviceGetComputeRunningProcesses(card):
            raise MigError(f"{len(busy)} processes are on the card: drain it first")

    def _clear(self, card: Any) -> None:
        """Take away all partitions; one that is in use is refused by the driver."""
        library = self.cards.library
        for instance, _ in self._made(card):
            for compute in self._computes(instance):
                library.nvmlComputeInstanceDestroy(compute)
            library.nvmlGpuInstanceDestroy(instance)

    def _set_mode(self, card: Any, *, is_on: bool) -> None:
        library = self.cards.library
        wanted = int(is_on)
        current, _ = self._mode(card)
        if current == wanted:
            return
        library.nvmlDeviceSetMigMode(card, wanted)
        current, pending = self._mode(card)
        if current != wanted:
            words = "reset the card or reboot the host" if pending == wanted else "refused"
            raise MigError(f"MIG is not switched yet: {words}")

    def _mode(self, card: Any) -> tuple[int, int]:
        try:
            current, pending = self.cards.library.nvmlDeviceGetMigMode(card)
        except self.cards.library.NVMLError:
            return 0, 0
        return current, pending

    def _make(self, card: Any, item: Placed) -> None:
        library = self.cards.library
        place = library.c_nvmlGpuInstancePlacement_t(item.start, item.profile.size)
        instance = library.nvmlDeviceCreateGpuInstanceWithPlacement(
            card, item.profile.id, ctypes.byref(place)
        )
        kind = getattr(library, f"NVML_COMPUTE_INSTANCE_PROFILE_{item.profile.compute}_SLICE")
        whole = library.nvmlGpuInstanceGetComputeInstanceProfileInfo(instance, kind, 0, version=1)
        library.nvmlGpuInstanceCreateComputeInstance(instance, whole.id)

    def _profiles(self, card: Any) -> Iterator[Profile]:
        library = self.cards.library
        total_mib = library.nvmlDeviceGetMemoryInfo(card).total // MIB
        for index in range(PROFILES_MAX):
            try:
                info = library.nvmlDeviceGetGpuInstanceProfileInfo(card, index)
            except library.NVMLError:
                continue
            places = self._places(card, info.id) if self._mode(card)[0] else {}
            if not places:
                size = presumed_size(info.memorySizeMB, total_mib)
                places = dict.fromkeys(range(0, size * info.instanceCount, size), size)
            yield Profile(
                id=info.id,
                name=_text(info.name).removeprefix(PREFIX),
                memory_mib=info.memorySizeMB,
                compute=info.sliceCount,
                size=next(iter(places.values())),
                starts=tuple(places),
                most=info.instanceCount,
            )

    def _places(self, card: Any, profile: int) -> Mapping[int, int]:
        """Return where a profile may begin, and how many slices it covers there."""
        library = self.cards.library
        count = ctypes.c_uint(0)
        library.nvmlDeviceGetGpuInstancePossiblePlacements(card, profile, None, ctypes.byref(count))
        found = (library.c_nvmlGpuInstancePlacement_t * max(1, count.value))()
        library.nvmlDeviceGetGpuInstancePossiblePlacements(
            card, profile, found, ctypes.byref(count)
        )
        return {item.start: item.size for item in found[: count.value]}

    def _made(self, card: Any) -> list[tuple[Any, Any]]:
        """Return the partitions that exist, each with what the library knows of it."""
        library = self.cards.library
        if not self._mode(card)[0]:
            return []
        made = []
        for profile in self._profiles(card):
            count = ctypes.c_uint(INSTANCES_MAX)
            found = (library.c_nvmlGpuInstance_t * INSTANCES_MAX)()
            library.nvmlDeviceGetGpuInstances(card, profile.id, found, ctypes.byref(count))
            made += [(item, library.nvmlGpuInstanceGetInfo(item)) for item in found[: count.value]]
        return made

    def _computes(self, instance: Any) -> list[Any]:
        library = self.cards.library
        made: list[Any] = []
        for kind in range(PROFILES_MAX):
            try:
                info = library.nvmlGpuInstanceGetComputeInstanceProfileInfo(
                    instance, kind, 0, version=1
                )
            except library.NVMLError:
                continue
            count = ctypes.c_uint(INSTANCES_MAX)
            found = (library.c_nvmlComputeInstance_t * INSTANCES_MAX)()
            library.nvmlGpuInstanceGetComputeInstances(
                instance, info.id, found, ctypes.byref(count)
            )
            made += found[: count.value]
        return made


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
