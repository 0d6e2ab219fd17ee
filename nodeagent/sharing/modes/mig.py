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
    can_resume: Final = False

    def __init__(
        self,
        facts: Callable[[], Sequence[AcceleratorFacts]],
        partitioner: "MigPartitioner",
        records: Iterable[ShareRecord],
        cdi: CdiFile | None = None,
    ) -> None:
        """Without `cdi` the engine needs no description of its cards."""
        self._cdi = cdi
        self._facts = facts
        self._partitioner = partitioner
        self._records = records
        self._lock = asyncio.Lock()

    async def prepare(self, record: ShareRecord) -> Injection:
        """Name the partitions in place of their cards; make those that are not there."""
        cut = {item.uuid: item.mig for item in self._facts()}
        seen: list[str] = []
        for grant in record.by_mode(self.isolation):
            if grant.profile:
                seen.append(await self._ensure_partition(grant, record))
            else:
                seen += [part.uuid for part in find_mig_instances(grant, cut.get(grant.uuid, ()))]
        if self._cdi is not None:
            await self._cdi.ensure_described(seen)
        return Injection(devices=tuple(seen))

    async def enforce(self, record: ShareRecord, scope: ProcessScope) -> None:
        """See that the card is still cut as it was: the hardware does the rest."""
        del scope
        await self.prepare(record)

    async def release(self, record: ShareRecord) -> None:
        """A partition stays for the next tenant."""

    async def _ensure_partition(self, grant: ShareGrant, record: ShareRecord) -> str:
        """Return the partition of a grant by its name; one at a time, so that none is cut twice."""
        async with self._lock:
            try:
                return await self._partitioner.ensure(
                    grant.uuid, grant.profile, grant.slots[0], self._held_slices(grant.uuid, record)
                )
            except (MigError, NvmlFailedError) as error:
                raise StartError(
                    ExitCause.ISOLATION_UNAVAILABLE, f"{grant.uuid}: {error}"
                ) from error

    def _held_slices(self, card: str, own: ShareRecord) -> frozenset[int]:
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


def find_mig_instances(grant: ShareGrant, cut: Sequence[MigDevice]) -> tuple[MigDevice, ...]:
    """Return the partition of each slot, by its place on the card; raises `StartError`."""
    ordered = sorted(cut, key=lambda item: (item.start, item.uuid))
    if max(grant.slots) >= len(ordered):
        detail = f"{grant.uuid} is cut into {len(ordered)}, slot {max(grant.slots)} is not there"
        raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
    parts = tuple(ordered[slot] for slot in grant.slots)
    held = sum(item.memory_mib for item in parts)
    if held < grant.memory_mib:
        detail = f"{grant.uuid}: partitions of {held} MiB, {grant.memory_mib} MiB guaranteed"
        raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
    return parts


@dataclass(frozen=True, slots=True)
class MigPartitioner:
    """Reads and changes how cards are cut. Needs root."""

    nvml: NvmlClient

    async def preview(self, uuid: str, wanted: Sequence[str]) -> MigLayout:
        """Return the layout without touching the card; raises `LayoutError`, `NvmlFailedError`."""
        return plan_layout(await self.profiles(uuid), wanted)

    async def profiles(self, uuid: str) -> tuple[GpuInstanceProfile, ...]:
        """Return what the card can be cut into; empty when it cannot."""
        return await self.nvml.call(lambda: tuple(self._profiles(self.nvml.handle(uuid))))

    async def apply(self, uuid: str, wanted: Sequence[str]) -> MigLayout:
        """Cut a drained card, and prove it; an empty wish makes it whole again.

        Raises:
            LayoutError: the partitions do not fit.
            MigError: the card is in use, needs a reset, or is not cut as asked.
            NvmlFailedError: the library refused.
        """
        await self.preview(uuid, wanted)
        return await self.nvml.call(lambda: self._apply(self.nvml.handle(uuid), wanted))

    async def ensure(self, uuid: str, profile: str, start: int, held: Collection[int] = ()) -> str:
        """Return the name of the partition at a place, made now if it is not there.

        `held` are memory slices that may not be touched; what else is in the way is taken away.

        Raises:
            MigError: the card is not switched to MIG, has no such place, or it is held.
            NvmlFailedError: the library refused, as it does while processes are in the way.
        """
        return await self.nvml.call(
            lambda: self._ensure(self.nvml.handle(uuid), profile, start, frozenset(held))
        )

    def _ensure(self, card: Any, name: str, start: int, held: frozenset[int]) -> str:
        if not self._mode(card)[0]:
            raise MigError("it is not switched to MIG")
        known = next((item for item in self._profiles(card) if item.name == name), None)
        if known is None or start not in known.starts:
            raise MigError(f"there is no place for {name} at {start}")
        wanted = PlacedInstance(known, start)
        there = self._find_at(card, wanted)
        if there is None:
            self._clear_overlapping(card, wanted, held)
            self._create(card, wanted)
            there = self._find_at(card, wanted)
        if there is None:
            raise MigError(f"{name} at {start} was made and is not there")
        instance, number = there
        if not self._list_compute_instances(
            instance
        ):  # whoever made it was ended before it was whole
            self._create_compute_instance(instance, known.compute)
        return self._device_uuid(card, number)

    def _find_at(self, card: Any, wanted: PlacedInstance) -> tuple[Any, int] | None:
        """Return the partition that is just there and its number, if it is."""
        for instance, info in self._list_instances(card):
            if (info.profileId, info.placement.start) == (wanted.profile.id, wanted.start):
                return instance, int(info.id)
        return None

    def _clear_overlapping(self, card: Any, wanted: PlacedInstance, held: frozenset[int]) -> None:
        """Take away what lies where a partition shall be, unless somebody holds it."""
        if wanted.covers & held:
            raise MigError(f"slices {sorted(wanted.covers & held)} are held by others")
        for instance, info in self._list_instances(card):
            place = info.placement
            if wanted.covers & frozenset(range(place.start, place.start + place.size)):
                self._destroy(instance)

    def _device_uuid(self, card: Any, instance: int) -> str:
        """Return the UUID by which a container is given a partition."""
        library = self.nvml.library
        for index in range(library.nvmlDeviceGetMaxMigDeviceCount(card)):
            try:
                part = library.nvmlDeviceGetMigDeviceHandleByIndex(card, index)
            except library.NVMLError:
                continue
            if library.nvmlDeviceGetGpuInstanceId(part) == instance:
                return str(library.nvmlDeviceGetUUID(part))
        raise MigError(f"partition {instance} has no device")

    def _apply(self, card: Any, wanted: Sequence[str]) -> MigLayout:
        self._require_idle(card)
        self._clear(card)
        self._set_mode(card, is_on=bool(wanted))
        # Planned again: a card names the places of its profiles only once it may be cut.
        planned = plan_layout(self._profiles(card), wanted)
        try:
            for item in planned.placed:
                self._create(card, item)
        except self.nvml.library.NVMLError as error:
            self._clear(card)
            raise MigError(f"not cut, nothing is left of it: {error}") from error
        found = sorted(
            (info.placement.start, info.profileId) for _, info in self._list_instances(card)
        )
        if found != [(item.start, item.profile.id) for item in planned.placed]:
            raise MigError(f"the card is cut as {found}, which is not what was asked for")
        return planned

    def _require_idle(self, card: Any) -> None:
        """Nobody may hold any of it; a driver that does not tell of partitions tells when clearing."""
        if busy := self.nvml.library.nvmlDeviceGetComputeRunningProcesses(card):
            raise MigError(f"{len(busy)} processes are on the card: drain it first")

    def _clear(self, card: Any) -> None:
        """Take away all partitions; one that is in use is refused by the driver."""
        for instance, _ in self._list_instances(card):
            self._destroy(instance)

    def _destroy(self, instance: Any) -> None:
        library = self.nvml.library
        for compute in self._list_compute_instances(instance):
            library.nvmlComputeInstanceDestroy(compute)
        library.nvmlGpuInstanceDestroy(instance)

    def _set_mode(self, card: Any, *, is_on: bool) -> None:
        library = self.nvml.library
        wanted = int(is_on)
        current, _ = self._mode(card)
        if current == wanted:
            return
        library.nvmlDeviceSetMigMode(card, wanted)
        current, pending = self._mode(card)
        if current != wanted:
            remedy = "reset the card or reboot the host" if pending == wanted else "refused"
            raise MigError(f"MIG is not switched yet: {remedy}")

    def _mode(self, card: Any) -> tuple[int, int]:
        try:
            current, pending = self.nvml.library.nvmlDeviceGetMigMode(card)
        except self.nvml.library.NVMLError:
            return 0, 0
        return current, pending

    def _create(self, card: Any, item: PlacedInstance) -> None:
        library = self.nvml.library
        place = library.c_nvmlGpuInstancePlacement_t(item.start, item.profile.size)
        instance = library.nvmlDeviceCreateGpuInstanceWithPlacement(
            card, item.profile.id, ctypes.byref(place)
        )
        self._create_compute_instance(instance, item.profile.compute)

    def _create_compute_instance(self, instance: Any, compute: int) -> None:
        """Give a partition all of its processors; which profile that is, the partition says."""
        for info in self._compute_profiles(instance):
            if info.sliceCount == compute:
                self.nvml.library.nvmlGpuInstanceCreateComputeInstance(instance, info.id)
                return
        raise MigError(f"no way to use all {compute} processor slices of a partition")

    def _profiles(self, card: Any) -> Iterator[GpuInstanceProfile]:
        library = self.nvml.library
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
                count_max=info.instanceCount,
            )

    def _list_instances(self, card: Any) -> list[tuple[Any, Any]]:
        """Return the partitions that exist, each with what the library knows of it."""
        library = self.nvml.library
        if not self._mode(card)[0]:
            return []
        made = []
        for profile in self._profiles(card):
            count = ctypes.c_uint(INSTANCES_MAX)
            found = (library.c_nvmlGpuInstance_t * INSTANCES_MAX)()
            library.nvmlDeviceGetGpuInstances(card, profile.id, found, ctypes.byref(count))
            made += [(item, library.nvmlGpuInstanceGetInfo(item)) for item in found[: count.value]]
        return made

    def _list_compute_instances(self, instance: Any) -> list[Any]:
        library = self.nvml.library
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
        library = self.nvml.library
        for kind in range(PROFILES_MAX):
            try:
                yield library.nvmlGpuInstanceGetComputeInstanceProfileInfo(
                    instance, kind, 0, version=1
                )
            except library.NVMLError:
                continue
