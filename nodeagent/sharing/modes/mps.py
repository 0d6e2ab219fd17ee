"""Mode `mps`: one MPS daemon per card; its server enforces limits on every client.

The limits are the daemon's defaults, so all shares of a card must be equal, and they apply to each
process.
"""

from pathlib import Path
from typing import Final

from nodeagent.host.commands import CommandRunner
from nodeagent.ports import Injection, ProcessScope, StartError
from nodeagent.sharing.grants import ShareGrant
from nodeagent.sharing.modes.mps_daemon import (
    MpsDaemons,
    has_other_holders,
    other_records,
    refuse_other_tenants,
    require_success,
)
from nodeagent.sharing.records import ShareRecord, ShareRecords
from wire.words import ExitCause, Isolation


class MpsMode:
    """Limits by the MPS server of each card."""

    isolation: Final = Isolation.MPS
    can_resume: Final = False

    def __init__(self, root: Path, records: ShareRecords, commands: CommandRunner) -> None:
        self._records = records
        self._daemons = MpsDaemons(root, commands)

    async def prepare(self, record: ShareRecord) -> Injection:
        """Start a daemon with the right limits if necessary, and mount its pipes."""
        grants = record.by_mode(self.isolation)
        if len(grants) != 1:
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, "mps gives a share of one card only")
        (grant,) = grants
        async with self._daemons.lock_for(grant.uuid):
            self._refuse_mixing(record, grant)
            if not await self._has_limits(grant):
                await self._start(grant)
        return self._daemons.injection(grant.uuid, self._daemons.pipe(grant.uuid))

    async def enforce(self, record: ShareRecord, scope: ProcessScope) -> None:
        """Verify that daemon and card still have the settings."""
        del scope
        for grant in record.by_mode(self.isolation):
            await self._daemons.require_exclusive(grant.uuid)
            if not await self._has_limits(grant):
                detail = f"the MPS daemon of {grant.uuid} does not have the limits"
                raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)

    async def release(self, record: ShareRecord) -> None:
        """Stop the daemon with its last client, and make the card available to all processes again."""
        for grant in record.by_mode(self.isolation):
            async with self._daemons.lock_for(grant.uuid):
                if not has_other_holders(self._records, record, grant.uuid, self.isolation):
                    await self._daemons.stop(grant.uuid)

    def _refuse_mixing(self, record: ShareRecord, grant: ShareGrant) -> None:
        others = other_records(self._records, record, grant.uuid, self.isolation)
        refuse_other_tenants(record, others, grant.uuid)
        present = [item for other in others for item in other.by_mode(self.isolation)]
        if any(_limits(item) != _limits(grant) for item in present if item.uuid == grant.uuid):
            detail = f"{grant.uuid} has one limit for all clients, and this share is not like it"
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)

    async def _start(self, grant: ShareGrant) -> None:
        """Start the card's daemon; clients of an earlier one were ruled out before."""
        await self._daemons.start(grant.uuid)
        memory, percent = _limits(grant)
        for line in (
            f"set_default_device_pinned_mem_limit 0 {memory}M",
            f"set_default_active_thread_percentage {percent}",
        ):
            require_success(await self._daemons.send_line(grant.uuid, line), line)
        if not await self._has_limits(grant):
            await self._daemons.stop(grant.uuid)
            detail = f"the MPS daemon of {grant.uuid} did not take the limits"
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, detail)

    async def _has_limits(self, grant: ShareGrant) -> bool:
        """Return whether the daemon has the limits; False if it does not answer."""
        if not self._daemons.is_started(grant.uuid):
            return False
        memory, percent = _limits(grant)
        memory_answer = await self._daemons.send_line(
            grant.uuid, "get_default_device_pinned_mem_limit 0"
        )
        percent_answer = await self._daemons.send_line(
            grant.uuid, "get_default_active_thread_percentage"
        )
        return (
            memory_answer.is_success
            and percent_answer.is_success
            and parse_mib(memory_answer.output) == memory
            and parse_number(percent_answer.output) == percent
        )


def _limits(grant: ShareGrant) -> tuple[int, int]:
    return grant.ceiling_mib, grant.compute_pct


def parse_number(text: str) -> int | None:
    """Return the integer part of the last number in an answer."""
    numbers = [word for word in text.replace("%", " ").split() if word[:1].isdigit()]
    return int(float(numbers[-1])) if numbers else None


def parse_mib(text: str) -> int | None:
    """Return an amount such as `4096M`, `4G` or `4096MB` in MiB."""
    numbers = [word for word in text.upper().split() if word[:1].isdigit()]
    if not numbers:
        return None
    digits = numbers[-1].rstrip("GMKIB")
    unit = numbers[-1][len(digits) :][:1]
    try:
        amount = int(digits)
    except ValueError:
        return None
    return amount * 1024 if unit == "G" else amount // 1024 if unit == "K" else amount
