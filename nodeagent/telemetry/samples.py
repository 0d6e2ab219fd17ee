"""Converts a reading into the sample that the portal receives; pure."""

from collections.abc import Mapping

from nodeagent.core.state import Container, ContainerKey
from nodeagent.ports import ContainerUsage, GpuUsage
from nodeagent.telemetry.reading import NodeReading
from wire.facts import AcceleratorFacts
from wire.samples import CardSample, ContainerSample, Sample


def build_sample(reading: NodeReading, folder_mib: Mapping[ContainerKey, int]) -> Sample:
    """Return the sample of a reading. `folder_mib`: size of each container's folder, if known.

    A container with unknown usage is left out: a gap, never a zero.
    """
    cards = {card.uuid: card for card in reading.accelerators}
    return Sample(
        at=reading.at,
        host=reading.host,
        cards=tuple(_card(card) for card in reading.accelerators),
        containers=tuple(
            _container(item, used, estimate_gpu_usage(item, reading.card_use, cards), folder_mib)
            for item in reading.containers
            if (used := reading.usage.get(item.key)) is not None
        ),
    )


def estimate_gpu_usage(
    container: Container,
    measured: Mapping[ContainerKey, GpuUsage],
    cards: Mapping[str, AcceleratorFacts],
) -> GpuUsage:
    """Return a container's GPU usage, measured or derived; empty if it cannot be known.

    It is the usage of its own processes if measured, else the usage of the cards that it has as a
    whole. For a share of a card there is no substitute.
    """
    if (found := measured.get(container.key)) is not None:
        return found
    held = [cards.get(device.uuid) for device in container.devices if device.is_whole]
    if not held or len(held) < len(container.devices):
        return GpuUsage()
    used = [None if card is None else card.memory_used_mib for card in held]
    busy = [None if card is None else card.utilisation_pct for card in held]
    memory, utilisation = _sum_if_known(used), _sum_if_known(busy)
    return GpuUsage(memory, None if utilisation is None else utilisation // len(held))


def _sum_if_known(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _card(card: AcceleratorFacts) -> CardSample:
    return CardSample(
        uuid=card.uuid,
        utilisation_pct=card.utilisation_pct,
        memory_used_mib=card.memory_used_mib,
        power_mw=card.power_mw,
        energy_mj=card.energy_mj,
        temperature_c=card.temperature_c,
    )


def _container(
    container: Container,
    used: ContainerUsage,
    own: GpuUsage,
    folder_mib: Mapping[ContainerKey, int],
) -> ContainerSample:
    disk = [size for size in (folder_mib.get(container.key), used.layer_mib) if size is not None]
    return ContainerSample(
        **container.key._asdict(),
        cpu_ms=used.cpu_ms,
        memory_mib=used.memory_mib,
        disk_mib=sum(disk) if disk else None,
        rx_bytes=used.rx_bytes,
        tx_bytes=used.tx_bytes,
        gpu_memory_mib=own.memory_mib,
        gpu_utilisation_pct=own.utilisation_pct,
    )
