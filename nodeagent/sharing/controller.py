"""The `Sharing` port: chooses a mode for every share, and has it fitted, enforced, taken back."""

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


class SharingMode(Protocol):
    """One way to make shares hold. Each looks at the grants of its own in a record."""

    @property
    def isolation(self) -> Isolation:
        """Which step of the ladder it is."""

    @property
    def can_resume(self) -> bool:
        """Whether nothing of it is inside the container, so that it can have it again as it lives."""

    async def prepare(self, record: ShareRecord) -> Injection:
        """Prepare the card, and return what the container needs; raises `StartError`."""

    async def enforce(self, record: ShareRecord, scope: ProcessScope) -> None:
        """Set limits on living processes, or prove that they are set; raises `StartError`."""

    async def release(self, record: ShareRecord) -> None:
        """Take back what was set. Never raises for what is gone already."""


class SharingController:
    """Everything that is set for a container is on record first, so that it is always taken back."""

    def __init__(
        self,
        cards: CardsNow,
        records: ShareRecords,
        modes: Collection[SharingMode],
        residual_memory: ResidualMemoryCheck | None = None,
    ) -> None:
        self._cards = cards
        self._residual_memory = residual_memory
        self._records = records
        self._modes: Mapping[Isolation, SharingMode] = {mode.isolation: mode for mode in modes}

    async def prepare(self, order: ContainerOrder) -> Injection:
        """Choose the strongest mode of each card that is at least what was demanded."""
        if not order.devices:
            return Injection()
        record = ShareRecord(order.key, order.spec.tenant, self._shares(order.key, order.devices))
        try:
            self._records.save(record)
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
        return _combine(record, injections)

    async def enforce(self, order: ContainerOrder, scope: ProcessScope) -> None:
        """Have every mode of the container set its limits and prove them."""
        try:
            record = self._records.set_scope(order.key, scope)
        except OSError as error:
            raise StartError(ExitCause.NODE_FAULT, f"shares: {error.strerror}") from error
        if record is None:
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, "nothing is known of its shares")
        for mode in self._modes_of(record):
            await mode.enforce(record, scope)

    async def suspend(self, key: ContainerKey) -> None:
        """Take back what was set, and keep whose it is and where its processes are."""
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
        """Set anew what `leave` took back, maybe for other devices of the same kind."""
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
        """Have every mode take back what it set, and forget the container."""
        record = self._records.get(key)
        if record is not None:
            for mode in self._modes_of(record):
                await mode.release(record)
        self._records.delete(key)

    async def _wait_until_clear(self, record: ShareRecord) -> None:
        if self._residual_memory is not None:
            await self._residual_memory.wait_until_clear(record)

    def _modes_of(self, record: ShareRecord) -> list[SharingMode]:
        """Return the modes that have something to do for a container."""
        return [mode for name, mode in self._modes.items() if record.by_mode(name)]

    def _shares(self, key: ContainerKey, devices: tuple[Device, ...]) -> tuple[EnforcedShare, ...]:
        known = {item.uuid: item for item in self._cards()}
        return tuple(
            self._share(grant, known.get(grant.uuid), key) for grant in grants_by_card(devices)
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


def _combine(record: ShareRecord, injections: Mapping[Isolation, Injection]) -> Injection:
    """Return what all modes of one container want; it can count on the weakest of them."""
    mode = weakest_isolation([share.mode for share in record.shares])
    return Injection(
        env={name: value for item in injections.values() for name, value in item.env.items()},
        mounts=tuple(mount for item in injections.values() for mount in item.mounts),
        isolation=mode,
        devices=_seen(record, injections.get(Isolation.MIG)),
        needs_barrier=any(item.needs_barrier for item in injections.values()),
    )


def _seen(record: ShareRecord, partitions: Injection | None) -> tuple[str, ...] | None:
    """Return what is handed in: partitions where there are any, and the other cards as they are."""
    if partitions is None or partitions.devices is None:
        return None
    whole = [share.grant.uuid for share in record.shares if share.mode is not Isolation.MIG]
    return (*partitions.devices, *whole)
