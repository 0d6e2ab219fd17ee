"""Translates between the core's values and the wire's messages; total in both directions."""

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Final, NamedTuple

from nodeagent.core.commands import SendHeartbeat
from nodeagent.core.events import Replied, ReplyRefused
from nodeagent.core.image_saves import SaveOrder, SaveProgress
from nodeagent.core.state import (
    Container,
    ContainerKey,
    DesiredEntry,
    Finished,
    GracePeriod,
    RunLimit,
)
from nodeagent.ports import Clock
from wire.facts import NodeFacts
from wire.images import ImageSaveReport, SaveImage
from wire.messages import (
    Ack,
    ContainerReport,
    Desired,
    DesiredContainer,
    FinishedReport,
    Heartbeat,
    Refused,
    StopGrace,
    TimeLimit,
    Tombstone,
    UnknownContainer,
)
from wire.versions import PROTOCOL_VERSION
from wire.words import Phase

SEQ_MAX: Final = 2**52
"""Half of what a message can hold: no sequence gets that far."""


class HostMoment(NamedTuple):
    """One moment by both clocks of the host."""

    boot_ms: int
    wall_ms: int

    def age_ms(self, since_boot: int | None, wall: int) -> int:
        """Return how long ago something was: by the boot clock where that is known."""
        past = self.wall_ms - wall if since_boot is None else self.boot_ms - since_boot
        return max(past, 0)


def read_moment(clock: Clock) -> HostMoment:
    """Return the present moment."""
    return HostMoment(clock.now_ms(), clock.wall_ms())


class Sender(NamedTuple):
    """Whose heartbeats they are, beside the node's key, and when one is sent."""

    boot_id: str
    instance: str
    moment: HostMoment


def to_heartbeat(
    beat: SendHeartbeat,
    facts: NodeFacts,
    sender: Sender,
    saves: Mapping[str, SaveProgress] = MappingProxyType({}),
) -> Heartbeat:
    """Return the heartbeat message; `saves` are the saves of images by id."""
    moment = sender.moment
    return Heartbeat(
        protocol=PROTOCOL_VERSION,
        boot_id=sender.boot_id,
        instance=sender.instance,
        seq=beat.seq,
        applied=beat.applied,
        sent_at=moment.wall_ms,
        facts=facts,
        containers=tuple(
            _report(item, moment, with_devices=item.key in beat.unknown) for item in beat.containers
        ),
        finished=tuple(_finished(item, moment) for item in beat.finished),
        tombstones=tuple(Tombstone(**key._asdict()) for key in beat.tombstones),
        image_saves=tuple(
            ImageSaveReport(save=save, **asdict(progress)) for save, progress in saves.items()
        ),
    )


def to_reply_event(message: Desired) -> Replied:
    """Return the event of a reply to a heartbeat."""
    return Replied(
        seq=message.seq,
        desired=tuple(_wanted(item) for item in message.containers),
        unknown=frozenset(_key(item) for item in message.unknown),
        acks=tuple(_key(item) for item in message.acks),
        grace_periods={_key(item): _grace(item) for item in message.graces},
        terms=message.terms,
    )


def to_save_orders(message: Desired) -> tuple[SaveOrder, ...]:
    """Return which containers a reply orders to save as images."""
    return tuple(
        SaveOrder(
            item.save,
            _key(item),
            item.reference,
            item.bytes_max,
            is_build=item.is_build,
            env=item.env,
            verdict=item.verdict,
        )
        for item in message.image_saves
    )


def _grace(item: StopGrace) -> GracePeriod:
    notice_s = min(item.notice_s, item.seconds)
    return GracePeriod(item.seconds * 1000, notice_s * 1000, item.signal, item.reason)


def to_refusal_event(message: Refused) -> ReplyRefused:
    """Return the event of a refused heartbeat."""
    is_stale = message.code == "stale_seq" and message.detail.isdecimal()
    last_seq = int(message.detail) if is_stale else -1
    return ReplyRefused(last_seq if last_seq <= SEQ_MAX else -1)


def _report(container: Container, moment: HostMoment, *, with_devices: bool) -> ContainerReport:
    return ContainerReport(
        **container.key._asdict(),
        phase=container.phase,
        port=container.port,
        started_at=container.started_at,
        running_ms=_running_ms(container, moment),
        ready=container.is_ready,
        ready_ms=_ready_ms(container, moment),
        detail=container.detail[:200],
        progress_pct=container.progress_pct,
        ports=dict(container.ports),
        isolation=container.isolation,
        checkpointed_at=container.checkpointed_at,
        idle_ms=container.idle_ms,
        use_mark=container.use_mark,
        used_by=container.used_by[:200],
        cards=container.gpu_state,
        cards_words=container.gpu_detail[:200],
        devices=container.devices if with_devices else (),
    )


def _running_ms(container: Container, moment: HostMoment) -> int | None:
    if container.running_since is not None:
        return max(moment.boot_ms - container.running_since, 0)
    if container.phase is not Phase.RUNNING or container.started_at is None:
        return None
    return moment.age_ms(None, container.started_at)


def _ready_ms(container: Container, moment: HostMoment) -> int | None:
    since = container.ready_since
    return None if since is None else max(moment.boot_ms - since, 0)


def _finished(end: Finished, moment: HostMoment) -> FinishedReport:
    return FinishedReport(
        **end.key._asdict(),
        cause=end.cause,
        exit_code=end.exit_code,
        started_at=end.started_at,
        finished_at=end.finished_at,
        ended_ms=moment.age_ms(end.ended_at, end.finished_at),
        detail=end.detail[:200],
        checkpointed_at=end.checkpointed_at,
    )


def _wanted(item: DesiredContainer) -> DesiredEntry:
    spec = item.spec.model_dump_json()
    limit = None if item.limit is None else _limit(item.limit)
    return DesiredEntry(_key(item), item.devices, spec, item.is_parked, item.silence, limit)


def _limit(item: TimeLimit) -> RunLimit:
    notice_s = min(item.notice_s, item.grace_s)
    return RunLimit(item.remaining_s * 1000, item.grace_s * 1000, notice_s * 1000, item.signal)


def _key(item: DesiredContainer | UnknownContainer | Ack | StopGrace | SaveImage) -> ContainerKey:
    return ContainerKey(item.allocation, item.epoch)
