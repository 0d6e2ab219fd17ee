"""Telemetry of agents as plain values, whose fields have the same names."""

from dataclasses import fields
from typing import Any, TypeVar

from portal.execution.samples import CardUse, ContainerUse, HostUse, NodeSample
from wire.samples import Telemetry
from wire.values import Message

T = TypeVar("T", CardUse, ContainerUse, HostUse)


def read_samples(telemetry: Telemetry) -> list[NodeSample]:
    """Return the samples of a message."""
    return [
        NodeSample(
            at=sample.at,
            host=None if sample.host is None else _read(HostUse, sample.host),
            cards=[_read(CardUse, card) for card in sample.cards],
            containers=[_read(ContainerUse, item) for item in sample.containers],
        )
        for sample in telemetry.samples
    ]


def _read(kind: type[T], message: Message) -> T:
    values: dict[str, Any] = {item.name: getattr(message, item.name) for item in fields(kind)}
    return kind(**values)
