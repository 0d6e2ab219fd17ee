"""Mode `mig`: a share is a MIG instance.

Enabling and disabling MIG is an administrator's action, on a card that is not in use. On a card
with MIG enabled, the instance that a grant names by profile and placement is created if it does not
exist; unused instances in its way are destroyed, instances in use never. The result is read back,
and a layout that fails half-way is undone.
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
    """The card could not be divided as requested; unchanged unless the message says otherwise."""


class MigMode:
    """One MIG instance per grant that names a profile, else one for each of its slots."""

    isolation: Final = Isolation.MIG
    can_resume: Final = False

    def __init__(
        self,
        facts: Callable[[], Sequence[AcceleratorFacts]],
        partitioner: "MigPartitioner",
        records: Iterable[ShareRecord],
        cdi: CdiFile | None = None,
    ) -> None:
        """Without `cdi` the engine needs no specification of its cards."""
        self._cdi = cdi
        self._facts = facts
        self._partitioner = partitioner
        self._records = records
        self._lock = asyncio.Lock()

    async def prepare(self, record: ShareRecord) -> Injection:
        """Return the instances to inject instead of their cards; create those that do not exist."""
        instances = {item.uuid: item.mig for item in self._facts()}
        uuids: list[str] = []
        for grant in record.by_mode(self.isolation):
            if grant.profile:
                uuids.append(await self._ensure_instance(grant, record))
            else:
                uuids += [
                    part.uuid for part in find_mig_instances(grant, instances.get(grant.uuid, ()))
                ]
        if self._cdi is not None:
            await self._cdi.ensure_described(uuids)
        return Injection(devices=tuple(uuids))

    async def enforce(self, record: ShareRecord, scope: ProcessScope) -> None:
        """Verify that the instances still exist; the hardware enforces the limits."""
        del scope
        await self.prepare(record)

    async def release(self, record: ShareRecord) -> None:
        """Do nothing: an instance stays for the next tenant."""

    async def _ensure_instance(self, grant: ShareGrant, record: ShareRecord) -> str:
        """Return the instance of a grant; one call at a time, so that none is created twice."""
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
        """Return the memory slices of a card that others hold; all of them if that is unknown."""
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


def find_mig_instances(grant: ShareGrant, instances: Sequence[MigDevice]) -> tuple[MigDevice, ...]:
    """Return the instance of each slot, in the order of placement; raises `StartError`."""
    ordered = sorted(instances, key=lambda item: (item.start, item.uuid))
    if max(grant.slots) >= len(ordered):
        detail = f"{grant.uuid} is cut into {len(ordered)}, slot {max(grant.slots)} is not there"
        raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
    chosen = tuple(ordered[slot] for slot in grant.slots)
    held = sum(item.memory_mib for item in chosen)
    if held < grant.memory_mib:
        detail = f"{grant.uuid}: partitions of {held} MiB, {grant.memory_mib} MiB guaranteed"
        raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
    return chosen


@dataclass(frozen=True, slots=True)
class MigPartitioner:
    """Reads and changes how cards are divided. Needs root."""

    nvml: NvmlClient

    async def preview(self, uuid: str, profiles: Sequence[str]) -> MigLayout:
        """Return the layout without changing the card; raises `MigLayoutError`, `NvmlFailedError`."""
        return plan_layout(await self.profiles(uuid), profiles)

    async def profiles(self, uuid: str) -> tuple[GpuInstanceProfile, ...]:
        """Return the profiles of the card; empty if it does not support MIG."""
        return await self.nvml.call(lambda: tuple(self._profiles(self.nvml.handle(uuid))))

    async def apply(self, uuid: str, profiles: Sequence[str]) -> MigLayout:
        """Divide a drained card, and verify it; no profiles at all disables MIG.

        Raises:
            MigLayoutError: the instances do not fit.
            MigError: the card is in use, needs a reset, or the result is not as requested.
            NvmlFailedError: the library returned an error.
        """
        await self.preview(uuid, profiles)
        return await self.nvml.call(lambda: self._apply(self.nvml.handle(uuid), profiles))

    async def ensure(self, uuid: str, profile: str, start: int, held: Collection[int] = ()) -> str:
        """Return the UUID of the instance at a placement; create it if it does not exist.

        `held`: memory slices that must not be touched; other instances in the way are destroyed.

        Raises:
            MigError: MIG is disabled, the placement does not exist, or it is held.
            NvmlFailedError: the library returned an error, as it does for an instance in use.
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
        target = PlacedInstance(known, start)
        found = self._find_at(card, target)
        if found is None:
            self._clear_overlapping(card, target, held)
            self._create(card, target)
            found = self._find_at(card, target)
        if found is None:
            raise MigError(f"{name} at {start} was made and is not there")
        instance, number = found
        if not self._list_compute_instances(instance):  # its creation was interrupted
            self._create_compute_instance(instance, known.compute)
        return self._device_uuid(card, number)

    def _find_at(self, card: Any, target: PlacedInstance) -> tuple[Any, int] | None:
        """Return the instance at exactly this placement and its ID, or None."""
        for instance, info in self._list_instances(card):
            if (info.profileId, info.placement.start) == (target.profile.id, target.start):
                return instance, int(info.id)
        return None

    def _clear_overlapping(self, card: Any, target: PlacedInstance, held: frozenset[int]) -> None:
        """Destroy the instances that overlap with a placement, unless one of them is held."""
        if target.covers & held:
            raise MigError(f"slices {sorted(target.covers & held)} are held by others")
        for instance, info in self._list_instances(card):
            placement = info.placement
            if target.covers & frozenset(range(placement.start, placement.start + placement.size)):
                self._destroy(instance)

    def _device_uuid(self, card: Any, instance: int) -> str:
        """Return the UUID by which an instance is given to a container."""
        library = self.nvml.library
        for index in range(library.nvmlDeviceGetMaxMigDeviceCount(card)):
            try:
                part = library.nvmlDeviceGetMigDeviceHandleByIndex(card, index)
            except library.NVMLError:
                continue
            if library.nvmlDeviceGetGpuInstanceId(part) == instance:
                return str(library.nvmlDeviceGetUUID(part))
        raise MigError(f"partition {instance} has no device")

    def _apply(self, card: Any, profiles: Sequence[str]) -> MigLayout:
        self._require_idle(card)
        self._clear(card)
        self._set_mode(card, is_on=bool(profiles))
        # Planned again: a card reports exact placements only while MIG is enabled.
        planned = plan_layout(self._profiles(card), profiles)
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
        """Raise if the card has processes; processes in instances make `_clear` fail later."""
        if busy := self.nvml.library.nvmlDeviceGetComputeRunningProcesses(card):
            raise MigError(f"{len(busy)} processes are on the card: drain it first")

    def _clear(self, card: Any) -> None:
        """Destroy all instances; the driver refuses one that is in use."""
        for instance, _ in self._list_instances(card):
            self._destroy(instance)

    def _destroy(self, instance: Any) -> None:
        library = self.nvml.library
        for compute in self._list_compute_instances(instance):
            library.nvmlComputeInstanceDestroy(compute)
        library.nvmlGpuInstanceDestroy(instance)

    def _set_mode(self, card: Any, *, is_on: bool) -> None:
        library = self.nvml.library
        mode = int(is_on)
        current, _ = self._mode(card)
        if current == mode:
            return
        library.nvmlDeviceSetMigMode(card, mode)
        current, pending = self._mode(card)
        if current != mode:
            remedy = "reset the card or reboot the host" if pending == mode else "refused"
            raise MigError(f"MIG is not switched yet: {remedy}")

    def _mode(self, card: Any) -> tuple[int, int]:
        try:
            current, pending = self.nvml.library.nvmlDeviceGetMigMode(card)
        except self.nvml.library.NVMLError:
            return 0, 0
        return current, pending

    def _create(self, card: Any, item: PlacedInstance) -> None:
        library = self.nvml.library
        placement = library.c_nvmlGpuInstancePlacement_t(item.start, item.profile.size)
        instance = library.nvmlDeviceCreateGpuInstanceWithPlacement(
            card, item.profile.id, ctypes.byref(placement)
        )
        self._create_compute_instance(instance, item.profile.compute)

    def _create_compute_instance(self, instance: Any, compute: int) -> None:
        """Create one compute instance that covers the whole GPU instance."""
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
            placements = dict(list_placements(library, card, info.id)) if is_on else {}
            if not placements:
                size = estimate_size(info.memorySizeMB, total_mib)
                placements = dict.fromkeys(range(0, size * info.instanceCount, size), size)
            yield GpuInstanceProfile(
                id=info.id,
                name=profile_name(info),
                memory_mib=info.memorySizeMB,
                compute=info.sliceCount,
                size=next(iter(placements.values())),
                starts=tuple(placements),
                count_max=info.instanceCount,
            )

    def _list_instances(self, card: Any) -> list[tuple[Any, Any]]:
        """Return the GPU instances of a card, each with its information."""
        library = self.nvml.library
        if not self._mode(card)[0]:
            return []
        created = []
        for profile in self._profiles(card):
            count = ctypes.c_uint(INSTANCES_MAX)
            found = (library.c_nvmlGpuInstance_t * INSTANCES_MAX)()
            library.nvmlDeviceGetGpuInstances(card, profile.id, found, ctypes.byref(count))
            created += [
                (item, library.nvmlGpuInstanceGetInfo(item)) for item in found[: count.value]
            ]
        return created

    def _list_compute_instances(self, instance: Any) -> list[Any]:
        library = self.nvml.library
        created: list[Any] = []
        for info in self._compute_profiles(instance):
            count = ctypes.c_uint(INSTANCES_MAX)
            found = (library.c_nvmlComputeInstance_t * INSTANCES_MAX)()
            library.nvmlGpuInstanceGetComputeInstances(
                instance, info.id, found, ctypes.byref(count)
            )
            created += found[: count.value]
        return created

    def _compute_profiles(self, instance: Any) -> Iterator[Any]:
        """Yield the compute instance profiles of a GPU instance."""
        library = self.nvml.library
        for kind in range(PROFILES_MAX):
            try:
                yield library.nvmlGpuInstanceGetComputeInstanceProfileInfo(
                    instance, kind, 0, version=1
                )
            except library.NVMLError:
                continue
