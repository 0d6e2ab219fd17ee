"""What is told of a container is its own, or nothing."""

from nodeagent.core.state import Container, ContainerKey
from nodeagent.ports import ContainerUsage, GpuUsage
from nodeagent.telemetry.reading import NodeReading
from nodeagent.telemetry.samples import build_sample
from wire.facts import AcceleratorFacts
from wire.samples import HostSample
from wire.words import Device, Phase

KEY = ContainerKey("a.0", 1)


def a_card(uuid: str, busy: int | None, used: int | None) -> AcceleratorFacts:
    return AcceleratorFacts(
        uuid=uuid,
        index=0,
        vendor="v",
        model="m",
        memory_mib=1000,
        utilisation_pct=busy,
        memory_used_mib=used,
        power_mw=70_000,
    )


def a_reading(
    *cards: AcceleratorFacts,
    devices: tuple[Device, ...] = (),
    card_use: dict[ContainerKey, GpuUsage] | None = None,
    used: ContainerUsage | None = None,
) -> NodeReading:
    holder = Container(KEY, devices, Phase.RUNNING)
    usage = {KEY: used or ContainerUsage(cpu_ms=7, memory_mib=3)}
    return NodeReading(5, cards, (holder,), usage, card_use or {})


def test_whole_cards_speak_for_their_holder() -> None:
    cards = (a_card("A", 40, 100), a_card("B", 60, 300))
    devices = (Device("A", 1000), Device("B", 1000))

    [told] = build_sample(a_reading(*cards, devices=devices), {}).containers

    assert (told.gpu_memory_mib, told.gpu_utilisation_pct) == (400, 50)


def test_a_slice_is_never_given_the_figures_of_its_card() -> None:
    reading = a_reading(a_card("A", 90, 900), devices=(Device("A", 250, slices=4),))

    sample = build_sample(reading, {})

    assert sample.cards[0].utilisation_pct == 90
    assert sample.containers[0].gpu_memory_mib is None
    assert sample.containers[0].gpu_utilisation_pct is None


def test_a_slice_whose_processes_were_seen_has_figures_of_its_own() -> None:
    reading = a_reading(
        a_card("A", 90, 900),
        devices=(Device("A", 250, slices=4),),
        card_use={KEY: GpuUsage(memory_mib=120)},
    )

    [told] = build_sample(reading, {}).containers

    assert (told.gpu_memory_mib, told.gpu_utilisation_pct) == (120, None)


def test_one_silent_card_leaves_the_sum_unknown() -> None:
    cards = (a_card("A", 40, 100), a_card("B", None, None))
    devices = (Device("A", 1000), Device("B", 1000))

    [told] = build_sample(a_reading(*cards, devices=devices), {}).containers

    assert (told.gpu_memory_mib, told.gpu_utilisation_pct) == (None, None)


def test_folder_and_layer_are_added_and_the_rest_is_passed_on() -> None:
    used = ContainerUsage(cpu_ms=9, memory_mib=8, rx_bytes=7, tx_bytes=6, layer_mib=5)

    [told] = build_sample(a_reading(used=used), {KEY: 10}).containers

    assert (told.cpu_ms, told.memory_mib, told.disk_mib) == (9, 8, 15)
    assert (told.rx_bytes, told.tx_bytes) == (7, 6)


def test_a_container_without_usage_is_a_gap() -> None:
    reading = a_reading()

    assert build_sample(NodeReading(5, (), reading.containers, {}, {}), {}).containers == ()


def test_the_host_is_told_as_it_was_measured_or_not_at_all() -> None:
    host = HostSample(cpus=8, cpu_ms=70)

    assert build_sample(NodeReading(5, (), (), {}, {}, host), {}).host == host
    assert build_sample(NodeReading(5, (), (), {}, {}), {}).host is None
