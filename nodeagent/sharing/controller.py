"""The `Sharing` port: chooses an isolation mode per share and applies, verifies and releases it."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import structlog

from nodeagent.core.state import ContainerKey
from nodeagent.ports import ContainerOrder, Injection, ProcessScope, StartError
from nodeagent.sharing.grants import ShareGrant, grants_by_card
from nodeagent.sharing.isolation_levels import (
    CardIsolation,
    IsolationUnavailableError,
    choose_isolation,
    weakest_isolation,
)
from nodeagent.sharing.records import UNREADABLE, EnforcedShare, ShareRecord, ShareRecords
from nodeagent.sharing.residual_memory import ResidualMemoryCheck
from wire.facts import AcceleratorFacts
from wire.words import Device, ExitCause, Isolation

log = structlog.get_logger()

CardsNow = Callable[[], Sequence[AcceleratorFacts]]
DescribeAccess = Callable[[Collection[str]], Injection]
"""Returns what containers need to see these cards; raises `StartError` where the host lacks it."""


class SharingMode(Protocol):
    """A way to enforce shares. Each mode handles its own grants in a record."""

    @property
    def isolation(self) -> Isolation:
        """The isolation level of the mode."""

    @property
    def can_resume(self) -> bool:
        """Whether a container can release and resume it while running: nothing of it is inside."""

    async def prepare(self, record: ShareRecord) -> Injection:
        """Prepare the card, and return what is injected into the container; raises `StartError`."""

    async def enforce(self, record: ShareRecord, scope: ProcessScope) -> None:
        """Set limits on running processes, or verify that they are set; raises `StartError`."""

    async def release(self, record: ShareRecord) -> None:
        """Undo `prepare` and `enforce`. Never raises for what no longer exists."""


class SharingController:
    """Applies shares to containers.

    A record is saved first, so that every share is released in the end.
    """

    def __init__(
        self,
        cards: CardsNow,
        records: ShareRecords,
        modes: Collection[SharingMode],
        residual_memory: ResidualMemoryCheck | None = None,
        describe_access: DescribeAccess = lambda _: Injection(),
    ) -> None:
        self._cards = cards
        self._describe_access = describe_access
        self._residual_memory = residual_memory
        self._records = records
        self._modes: Mapping[Isolation, SharingMode] = {mode.isolation: mode for mode in modes}

    async def prepare(self, order: ContainerOrder) -> Injection:
        """Choose the strongest mode per card that satisfies the required isolation, and prepare it."""
        if not order.devices:
            return Injection()
        record = ShareRecord(order.key, order.spec.tenant, self._shares(order.key, order.devices))
        try:
            self._records.save(record)
            uuids = [share.grant.uuid for share in record.shares]
            access = await asyncio.to_thread(self._describe_access, uuids)
            await self._wait_until_clear(record)
            injections = {
                mode.isolation: await mode.prepare(record) for mode in self._modes_of(record)
            }
        except OSError as error:
            await self.release(order.key)
            raise StartError(ExitCause.NODE_FAULT, f"shares: {error.strerror}") from error
        except BaseException:
            await self.release(order.key)
            raise
        return _combine(record, injections, access)

    async def enforce(self, order: ContainerOrder, scope: ProcessScope) -> None:
        """Let every mode of the container set its limits and verify them."""
        try:
            record = self._records.set_scope(order.key, scope)
        except OSError as error:
            raise StartError(ExitCause.NODE_FAULT, f"shares: {error.strerror}") from error
        if record is None:
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, "nothing is known of its shares")
        for mode in self._modes_of(record):
            await mode.enforce(record, scope)

    async def suspend(self, key: ContainerKey) -> None:
        """Release what was set, and keep the container's tenant and processes on record."""
        if any(item.key == key for item in self._records.list_unreadable()):
            raise StartError(ExitCause.NODE_FAULT, UNREADABLE)
        record = self._records.get(key)
        if record is None:
            return
        if fixed := [item for item in self._modes_of(record) if not item.can_resume]:
            detail = f"share_is_fixed: {fixed[0].isolation}"
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
        for mode in self._modes_of(record):
            await mode.release(record)
        self._records.save(replace(record, shares=()))

    async def resume(self, key: ContainerKey, devices: tuple[Device, ...]) -> None:
        """Apply again what `suspend` released, possibly for other devices of the same kind."""
        record = self._records.get(key)
        if record is None or not devices:
            return
        record = replace(record, shares=self._shares(key, devices))
        if any(not item.can_resume for item in self._modes_of(record)):
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, "share_is_fixed")
        self._records.save(record)
        await self._wait_until_clear(record)
        for mode in self._modes_of(record):
            await mode.prepare(record)
            if record.scope is not None:
                await mode.enforce(record, record.scope)

    async def release(self, key: ContainerKey) -> None:
        """Let every mode release what it set, and delete the record."""
        record = self._records.get(key)
        if record is not None:
            for mode in self._modes_of(record):
                await mode.release(record)
        self._records.delete(key)

    async def _wait_until_clear(self, record: ShareRecord) -> None:
        if self._residual_memory is not None:
            await self._residual_memory.wait_until_clear(record)

    def _modes_of(self, record: ShareRecord) -> list[SharingMode]:
        """Return the modes that have grants in a record."""
        return [mode for name, mode in self._modes.items() if record.by_mode(name)]

    def _shares(self, key: ContainerKey, devices: tuple[Device, ...]) -> tuple[EnforcedShare, ...]:
        cards = {item.uuid: item for item in self._cards()}
        return tuple(
            self._share(grant, cards.get(grant.uuid), key) for grant in grants_by_card(devices)
        )

    def _share(
        self, grant: ShareGrant, card: AcceleratorFacts | None, key: ContainerKey
    ) -> EnforcedShare:
        if card is None:
            detail = f"{grant.uuid} is not among the cards of this node"
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)
        if self._records.may_be_held(grant.uuid):
            raise StartError(ExitCause.NODE_FAULT, f"{UNREADABLE}: {grant.uuid}")
        in_use = {
            share.mode
            for record in self._records
            for share in record.shares
            if share.grant.uuid == grant.uuid and record.key != key
        }
        offer = CardIsolation(grant.uuid, card.isolation, in_use, card.simulated)
        try:
            mode = choose_isolation(offer, grant.required, is_whole=grant.is_whole)
        except IsolationUnavailableError as error:
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, str(error)) from error
        return EnforcedShare(grant, mode, card.simulated)


def _combine(
    record: ShareRecord, injections: Mapping[Isolation, Injection], access: Injection
) -> Injection:
    """Combine the modes of one container; its isolation is the weakest of them."""
    mode = weakest_isolation([share.mode for share in record.shares])
    every = (access, *injections.values())
    mig = _injected_devices(record, injections.get(Isolation.MIG))
    return Injection(
        env={name: value for item in every for name, value in item.env.items()},
        mounts=tuple(mount for item in every for mount in item.mounts),
        isolation=mode,
        devices=access.devices if mig is None else mig,
        needs_barrier=any(item.needs_barrier for item in every),
        device_files=access.device_files,
        groups=access.groups,
    )


def _injected_devices(record: ShareRecord, mig: Injection | None) -> tuple[str, ...] | None:
    """Return the devices to inject: MIG instances if there are any, and the other cards as a whole."""
    if mig is None or mig.devices is None:
        return None
    whole = [share.grant.uuid for share in record.shares if share.mode is not Isolation.MIG]
    return (*mig.devices, *whole)
