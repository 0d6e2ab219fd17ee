"""Heartbeats as reports in plain values, on the clock of the portal, and the desired state as a reply."""

from dataclasses import dataclass, replace
from typing import Final, TypeVar

from portal.common.clock import now, to_millis
from portal.execution.capabilities import Capabilities, of_agent
from portal.execution.desired import DesiredState
from portal.execution.report import EndedContainer, Report, SaveReport, SeenContainer, UseReport
from portal.inventory.models import Node
from wire import messages
from wire.images import SaveImage
from wire.messages import Ack, ContainerReport, FinishedReport, Heartbeat, UnknownContainer
from wire.values import Message
from wire.words import Phase, Terms

M = TypeVar("M", bound=Message)

CLOCK_SKEW_MAX_MS: Final = 24 * 3600 * 1000
"""Times of an older agent further in the future are dropped."""


def read_report(heartbeat: Heartbeat) -> Report:
    """Return what a node reports, with its times as the portal's: the node's clock may be any."""
    clock = _NodeClock(to_millis(now()), heartbeat.sent_at)
    return Report(
        applied=heartbeat.applied,
        seq=heartbeat.seq,
        seen=tuple(_seen(item, clock) for item in heartbeat.containers),
        ended=tuple(_ended(item, clock) for item in heartbeat.finished),
        tombstones=tuple((item.allocation, item.epoch) for item in heartbeat.tombstones),
        capabilities=_capabilities(heartbeat),
        uses=tuple(
            _use(item, item.idle_ms) for item in heartbeat.containers if item.idle_ms is not None
        ),
        faults=tuple(fault.model_dump() for fault in heartbeat.facts.faults),
        saves=tuple(SaveReport(**dict(item)) for item in heartbeat.image_saves),
    )


def complete_report(report: Report, node: Node, boot_id: str) -> Report:
    """Return a report with what only the row of its node tells: a reboot since, and its last word."""
    heard = node.last_seen_at
    return replace(
        report,
        is_new_boot=node.boot_id not in ("", boot_id),
        last_word_at=None if heard is None else to_millis(heard),
    )


def to_reply(seq: int, reply: DesiredState, terms: Terms) -> messages.Desired:
    """Return the reply to the heartbeat of this number."""
    return messages.Desired(
        seq=seq,
        containers=tuple(_said(messages.DesiredContainer, item) for item in reply.containers),
        unknown=tuple(UnknownContainer(allocation=it, epoch=epoch) for it, epoch in reply.unknown),
        acks=tuple(Ack(allocation=it, epoch=epoch) for it, epoch in reply.acks),
        graces=tuple(_said(messages.StopGrace, item) for item in reply.graces),
        images=reply.images,
        login_hosts=reply.login_hosts,
        image_saves=tuple(_said(SaveImage, item) for item in reply.saves),
        retests=dict(reply.retests),
        terms=terms,
    )


def _said(message: type[M], value: object) -> M:
    """Return a plain value as a message, whose fields have the same names."""
    return message.model_validate(value, from_attributes=True)


def _capabilities(heartbeat: Heartbeat) -> Capabilities:
    facts = heartbeat.facts
    return of_agent(
        facts.runtime,
        heartbeat.protocol,
        saves_images=facts.saves_images,
        builds_images=facts.builds_images,
    )


@dataclass(frozen=True, slots=True)
class _NodeClock:
    """The clock of a node beside the portal's, at one heartbeat; in milliseconds."""

    now: int
    """Of the portal."""
    sent_at: int | None
    """Of the node; None of an older agent, whose times are taken as they are."""

    def ours(self, moment: int | None) -> int | None:
        """Return a moment of the node's clock by the portal's."""
        if moment is None or self.sent_at is None:
            return self.plausible(moment)
        return self.ago(self.sent_at - moment)

    def ago(self, age_ms: int) -> int:
        """Return what was so long ago; nothing is ahead, or before all times."""
        return min(max(self.now - age_ms, 0), self.now)

    def plausible(self, moment: int | None) -> int | None:
        """Drop a time in the far future, which no column might hold."""
        if moment is None or moment > self.now + CLOCK_SKEW_MAX_MS:
            return None
        return moment


def _seen(item: ContainerReport, clock: _NodeClock) -> SeenContainer:
    is_ready = item.ready is not False
    age_ms = item.running_ms if item.ready_ms is None else item.ready_ms
    works = item.phase is Phase.RUNNING and is_ready and age_ms is not None
    started_at = clock.ago(age_ms or 0) if works else clock.ours(item.started_at)
    return SeenContainer(
        allocation=item.allocation,
        epoch=item.epoch,
        phase=item.phase.value,
        port=item.port,
        is_ready=is_ready,
        detail=item.detail,
        progress_pct=item.progress_pct,
        isolation=item.isolation.value if item.isolation else "",
        started_at=started_at,
        checkpointed_at=clock.plausible(item.checkpointed_at),
        devices=item.devices,
    )


def _use(item: ContainerReport, idle_ms: int) -> UseReport:
    return UseReport(
        allocation=item.allocation,
        epoch=item.epoch,
        idle_ms=idle_ms,
        use_mark=item.use_mark,
        used_by=item.used_by,
        gpu_state=item.cards.value,
        detail=item.cards_words,
    )


def _ended(item: FinishedReport, clock: _NodeClock) -> EndedContainer:
    """Return an end; of an older agent that says no age, only how long the container had run is used."""
    finished_at = None if item.ended_ms is None else clock.ago(item.ended_ms)
    ran_ms = None if item.started_at is None else max(item.finished_at - item.started_at, 0)
    ended = clock.now if finished_at is None else finished_at
    return EndedContainer(
        allocation=item.allocation,
        epoch=item.epoch,
        cause=item.cause.value,
        exit_code=item.exit_code,
        started_at=None if ran_ms is None else max(ended - ran_ms, 0),
        finished_at=finished_at,
        detail=item.detail,
        checkpointed_at=clock.plausible(item.checkpointed_at),
    )
