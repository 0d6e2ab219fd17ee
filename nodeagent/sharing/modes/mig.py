"""Mode `mig`: hardware partitions. A share is one of them.

To switch a card to MIG and back is an administrator's act, on a card that nobody holds. On a card
that is switched, the partition that a grant names by profile and place is made when it is not
there; others that nobody holds make way for it, those that are held never. What was made is read
back, and a cut that failed half way is undone.
"""

import asyncio
import ctypes
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nodeagent.gpu.drivers.mig_profiles import (
    PROFILES_MAX,
    list_placements,
    list_profile_infos,
    profile_name,
)
from nodeagent.ports import Injection, ProcessScope, StartError
from nodeagent.sharing.grants import ShareGrant
from nodeagent.sharing.modes.cdi import CdiFile
from nodeagent.sharing.modes.mig_layout import (
    SLICES,
    GpuInstanceProfile,
    MigLayout,
    PlacedInstance,
    estimate_size,
    plan_layout,
)
from nodeagent.sharing.nvml_client import MIB, NvmlClient, NvmlFailedError
from nodeagent.sharing.records import ShareRecord
from wire.facts import AcceleratorFacts, MigDevice
from wire.words import ExitCause, Isolation

INSTANCES_MAX: Final = 16


class MigError(Exception):
    """The card was not cut as asked; it is as it was before, or the words say how it is."""


class MigMode:
    """One partition for each grant that names a profile, else one for each of its slots."""

    isolation: Final = Isolation.MIG
    fits_again: Final = False

    def __init__(
        self,
        facts: Callable[[], Sequence[AcceleratorFacts]],
        cutter: "MigPartitioner",
        records: Iterable[ShareRecord],
        cdi: CdiFile | None = None,
    ) -> None:
        """Without `cdi` the engine needs no description of its cards."""
        self._cdi = cdi
        self._facts = facts
        self._cutter = cutter
        self._records = records
        self._turn = asyncio.Lock()

    async def fit(self, record: ShareRecord) -> Injection:
        """Name the partitions in place of their cards; make those that are not there."""
        cut = {item.uuid: item.mig for item in self._facts()}
        seen: list[str] = []
        for grant in record.by_mode(self.isolation):
            if grant.profile:
                seen.append(await self._partition(grant, record))
            else:
                seen += [part.uuid for part in find_partitions(grant, cut.get(grant.uuid, ()))]
        if self._cdi is not None:
            await self._cdi.describe(seen)
        return Injection(devices=tuple(seen))

    async def enforce(self, record: ShareRecord, confines: ProcessScope) -> None:
        """See that the card is still cut as it was: the hardware does the rest."""
        del confines
        await self.fit(record)

    async def release(self, record: ShareRecord) -> None:
        """A partition stays for the next tenant."""

    async def _partition(self, grant: ShareGrant, record: ShareRecord) -> str:
        """Return the partition of a grant by its name; one at a time, so that none is cut twice."""
        async with self._turn:
            try:
                return await self._cutter.ensure(
                    grant.uuid, grant.profile, grant.slots[0], self._held(grant.uuid, record)
                )
            except (MigError, NvmlFailedError) as error:
                raise StartError(
                    ExitCause.ISOLATION_UNAVAILABLE, f"{grant.uuid}: {error}"
                ) from error

    def _held(self, card: str, own: ShareRecord) -> frozenset[int]:
        """Return the memory slices of a card that others hold; all, where nobody can tell which."""
        others = [
            share.grant
            for record in self._records
            if record.key != own.key
            for share in record.shares
            if share.grant.uuid == card
        ]
        if any(not grant.profile for grant in others):
            return frozenset(range(SLICES))
        return frozenset(slot for grant in others for slot in grant.slots)


def find_partitions(grant: ShareGrant, cut: Sequence[MigDevice]) -> tuple[MigDevice, ...]:
    """Return the partition of each slot, by its place on the card; raises `StartError`."""
    ordered = sorted(cut, key=lambda item: (item.start, item.uuid))
    if max(grant.slots) >= len(ordered):
        words = f"{grant.uuid} is cut into {len(ordered)}, slot {max(grant.slots)} is not there"
        raise StartError(ExitCause.ISOLATION_UNAVAILABLE, words)
    parts = tuple(ordered[slot] for slot in grant.slots)
    held = sum(item.memory_mib for item in parts)
    if held < grant.memory_mib:
        words = f"{grant.uuid}: partitions of {held} MiB, {grant.memory_mib} MiB guaranteed"
        raise StartError(ExitCause.ISOLATION_UNAVAILABLE, words)
    return parts


@dataclass(frozen=True, slots=True)
class MigPartitioner:
    """Reads and changes how cards are cut. Needs root."""

    cards: NvmlClient

    async def preview(self, uuid: str, wanted: Sequence[str]) -> MigLayout:
        """Return the layout without touching the card; raises `LayoutError`, `NvmlFailedError`."""
        return plan_layout(await self.profiles(uuid), wanted)

    async def profiles(self, uuid: str) -> tuple[GpuInstanceProfile, ...]:
        """Return what the card can be cut into; empty when it cannot."""
        return await self.cards.ask(lambda: tuple(self._profiles(self.cards.handle(uuid))))

    async def apply(self, uuid: str, wanted: Sequence[str]) -> MigLayout:
        """Cut a drained card, and prove it; an empty wish makes it whole again.

        Raises:
            LayoutError: the partitions do not fit.
            MigError: the card is in use, needs a reset, or is not cut as asked.
            NvmlFailedError: the library refused.
        """
        await self.preview(uuid, wanted)
        return await self.cards.ask(lambda: self._cut(self.cards.handle(uuid), wanted))

    async def ensure(self, uuid: str, profile: str, start: int, held: Collection[int] = ()) -> str:
        """Return the name of the partition at a place, made now if it is not there.

        `held` are memory slices that may not be touched; what else is in the way is taken away.

        Raises:
            MigError: the card is not switched to MIG, has no such place, or it is held.
            NvmlFailedError: the library refused, as it does while processes are in the way.
        """
        return await self.cards.ask(
            lambda: self._ensured(self.cards.handle(uuid), profile, start, frozenset(held))
        )

    def _ensured(self, card: Any, name: str, start: int, held: frozenset[int]) -> str:
        if not self._mode(card)[0]:
            raise MigError("it is not switched to MIG")
        known = next((item for item in self._profiles(card) if item.name == name), None)
        if known is None or start not in known.starts:
            raise MigError(f"there is no place for {name} at {start}")
        wanted = PlacedInstance(known, start)
        there = self._at(card, wanted)
        if there is None:
            self._make_way(card, wanted, held)
            self._make(card, wanted)
            there = self._at(card, wanted)
        if there is None:
            raise MigError(f"{name} at {start} was made and is not there")
        instance, number = there
        if not self._computes(instance):  # whoever made it was ended before it was whole
            self._complete(instance, known.compute)
        return self._name(card, number)

    def _at(self, card: Any, wanted: PlacedInstance) -> tuple[Any, int] | None:
        """Return the partition that is just there and its number, if it is."""
        for instance, info in self._made(card):
            if (info.profileId, info.placement.start) == (wanted.profile.id, wanted.start):
                return instance, int(info.id)
        return None

    def _make_way(self, card: Any, wanted: PlacedInstance, held: frozenset[int]) -> None:
        """Take away what lies where a partition shall be, unless somebody holds it."""
        if wanted.covers & held:
            raise MigError(f"slices {sorted(wanted.covers & held)} are held by others")
        for instance, info in self._made(card):
            place = info.placement
            if wanted.covers & frozenset(range(place.start, place.start + place.size)):
                self._destroy(instance)

    def _name(self, card: Any, instance: int) -> str:
        """Return the UUID by which a container is given a partition."""
        library = self.cards.library
        for index in range(library.nvmlDeviceGetMaxMigDeviceCount(card)):
            try:
                part = library.nvmlDeviceGetMigDeviceHandleByIndex(card, index)
            except library.NVMLError:
                continue
            if library.nvmlDeviceGetGpuInstanceId(part) == instance:
                return str(library.nvmlDeviceGetUUID(part))
        raise MigError(f"partition {instance} has no device")

    def _cut(self, card: Any, wanted: Sequence[str]) -> MigLayout:
        self._refuse_busy(card)
        self._clear(card)
        self._set_mode(card, is_on=bool(wanted))
        # Planned again: a card names the places of its profiles only once it may be cut.
        planned = plan_layout(self._profiles(card), wanted)
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
        for instance, _ in self._made(card):
            self._destroy(instance)

    def _destroy(self, instance: Any) -> None:
        library = self.cards.library
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

    def _make(self, card: Any, item: PlacedInstance) -> None:
        library = self.cards.library
        place = library.c_nvmlGpuInstancePlacement_t(item.start, item.profile.size)
        instance = library.nvmlDeviceCreateGpuInstanceWithPlacement(
            card, item.profile.id, ctypes.byref(place)
        )
        self._complete(instance, item.profile.compute)

    def _complete(self, instance: Any, compute: int) -> None:
        """Give a partition all of its processors; which profile that is, the partition says."""
        for info in self._compute_profiles(instance):
            if info.sliceCount == compute:
                self.cards.library.nvmlGpuInstanceCreateComputeInstance(instance, info.id)
                return
        raise MigError(f"no way to use all {compute} processor slices of a partition")

    def _profiles(self, card: Any) -> Iterator[GpuInstanceProfile]:
        library = self.cards.library
        total_mib = library.nvmlDeviceGetMemoryInfo(card).total // MIB
        is_on = self._mode(card)[0]
        for info in list_profile_infos(library, card):
            places = dict(list_placements(library, card, info.id)) if is_on else {}
            if not places:
                size = estimate_size(info.memorySizeMB, total_mib)
                places = dict.fromkeys(range(0, size * info.instanceCount, size), size)
            yield GpuInstanceProfile(
                id=info.id,
                name=profile_name(info),
                memory_mib=info.memorySizeMB,
                compute=info.sliceCount,
                size=next(iter(places.values())),
                starts=tuple(places),
                most=info.instanceCount,
            )

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
        for info in self._compute_profiles(instance):
            count = ctypes.c_uint(INSTANCES_MAX)
            found = (library.c_nvmlComputeInstance_t * INSTANCES_MAX)()
            library.nvmlGpuInstanceGetComputeInstances(
                instance, info.id, found, ctypes.byref(count)
            )
            made += found[: count.value]
        return made

    def _compute_profiles(self, instance: Any) -> Iterator[Any]:
        """Go through the ways to use a partition."""
        library = self.cards.library
        for kind in range(PROFILES_MAX):
            try:
                yield library.nvmlGpuInstanceGetComputeInstanceProfileInfo(
                    instance, kind, 0, version=1
                )
            except library.NVMLError:
                continue
