"""What programs declare of simulated cards: a pure curve, that says nothing of a real card."""

from dataclasses import replace
from pathlib import Path

import pytest

from nodeagent.app.node_sampler import NodeSampler, SamplerChecks, StaticNodeFacts
from nodeagent.card_ports import CardReading
from nodeagent.core.state import Container, ContainerKey
from nodeagent.disk.declared_load import keep_declared_load, read_declared_load
from nodeagent.gpu.declared_load import (
    DeclaredLoads,
    MalformedDeclarationError,
    parse_declared_load,
)
from nodeagent.gpu.drivers.simulated import CardDescription, SimulatedDriver, card_uuid
from nodeagent.gpu.simulated_load import derive_load
from nodeagent.ports import ContainerUsage, GpuUsage
from tests.fakes.node_ports import FakeClock
from tests.fakes.runtime import FakeContainerHost, FakeRuntime
from wire.facts import AcceleratorFacts, AcceleratorHealth
from wire.words import Device, Phase

TRAINING = "use=30..90 period=40 duty=80 warmup=30 memory=24000"
KEY = ContainerKey("a.0", 1)
WHOLE = Device(card_uuid("node", 0), 32768)
DRIVER = SimulatedDriver("node", [CardDescription("Simulated 32GB", 32768)] * 2)


def test_a_curve_rises_and_then_repeats_around_its_values() -> None:
    load = parse_declared_load(TRAINING)
    assert load.at(0, "a") == (0, 0)
    assert load.at(15, "a")[1] == 12_000
    seen = [load.at(30 + second, "a") for second in range(400)]
    high = [use for use, _ in seen if use >= 87]
    assert {use for use, _ in seen} <= {*range(27, 34), *range(87, 94)}
    assert 0.75 < len(high) / len(seen) < 0.85
    assert {mib for _, mib in seen} == {24_000}


def test_the_same_program_at_the_same_time_has_the_same_load() -> None:
    load = parse_declared_load(TRAINING)
    assert [load.at(t, "a") for t in range(99)] == [load.at(t, "a") for t in range(99)]
    assert [load.at(t, "a") for t in range(99)] != [load.at(t, "b") for t in range(99)]


def test_what_is_left_out_has_a_value_and_idle_is_without_noise() -> None:
    assert parse_declared_load("use=7 memory=10").high_pct == 7
    quiet = parse_declared_load("use=0 memory=900 warmup=0")
    assert {quiet.at(second, "a") for second in range(300)} == {(0, 900)}


@pytest.mark.parametrize(
    "text",
    [
        "use=50",
        "memory=50",
        "use=90..50 memory=1",
        "use=1..101 memory=1",
        "use=1 memory=1 period=0",
        "use=1 memory=1 duty=101",
        "use=1 memory=1 colour=3",
        "use=-1 memory=1",
        "use=1e3 memory=1",
        "busy",
    ],
)
def test_a_malformed_declaration_is_refused(text: str) -> None:
    with pytest.raises(MalformedDeclarationError):
        parse_declared_load(text)


def test_a_part_of_a_card_has_a_part_of_the_load() -> None:
    slices = tuple(Device(WHOLE.uuid, 4096, slot=slot, slices=8) for slot in range(2))
    holder = Container(KEY, slices, Phase.RUNNING)
    load = derive_load([holder], {}, {}, 1000, {KEY: (80, 3000)})
    assert (load.busy_pct[WHOLE.uuid], load.used_mib[WHOLE.uuid]) == (20, 3000)
    assert load.own[KEY] == GpuUsage(3000, 20)
    full = derive_load([holder], {}, {}, 1000, {KEY: (80, 30_000)})
    assert full.used_mib[WHOLE.uuid] == 8192


def test_a_declaration_goes_before_the_processor_and_only_for_those_that_make_one() -> None:
    other = ContainerKey("b.0", 1)
    holders = [
        Container(KEY, (WHOLE,), Phase.RUNNING),
        Container(other, (replace(WHOLE, uuid="other"),), Phase.RUNNING),
    ]
    used = {KEY: ContainerUsage(500, 10), other: ContainerUsage(500, 10)}
    idle = {KEY: ContainerUsage(0, 10), other: ContainerUsage(0, 10)}
    load = derive_load(holders, idle, used, 1000, {KEY: (90, 24_000)})
    assert load.busy_pct == {WHOLE.uuid: 90, "other": 50}


def test_of_a_real_card_a_declaration_says_nothing() -> None:
    holder = Container(KEY, (WHOLE,), Phase.RUNNING)
    load = derive_load([holder], {}, {}, 1000, {KEY: (90, 24_000)})
    assert load.of_simulated(_facts(is_simulated=False), [holder]) == {}
    assert load.of_simulated(_facts(is_simulated=True), [holder]) == {KEY: GpuUsage(24_000, 90)}


async def test_a_sampler_shows_what_a_container_has_declared(tmp_path: Path) -> None:
    keep_declared_load(tmp_path, {"SIMULATED_GPU": "use=50 memory=2000 warmup=0"})
    clock = FakeClock()
    loads = DeclaredLoads(lambda _key: read_declared_load(tmp_path))
    sampler = NodeSampler(
        StaticNodeFacts(1000, 1024, "x"),
        FakeRuntime(FakeContainerHost()),
        DRIVER,
        clock,
        checks=SamplerChecks(declared_loads=loads),
    )
    reading = await sampler.sample(
        (Container(KEY, (WHOLE,), Phase.RUNNING, started_at=clock.wall_ms()),)
    )
    card = reading.accelerators[0]
    assert card.utilisation_pct in range(47, 54)
    assert card.memory_used_mib == 2000
    assert card.power_mw is not None
    assert card.power_mw > 200_000
    assert reading.card_use[KEY].memory_mib == 2000


def test_a_malformed_declaration_counts_as_none_and_is_read_once() -> None:
    asked: list[ContainerKey] = []

    def read(key: ContainerKey) -> str:
        asked.append(key)
        return "use=no"

    loads = DeclaredLoads(read)
    holder = Container(KEY, (WHOLE,), Phase.RUNNING, started_at=0)
    assert loads.find([holder], 1000) == {}
    assert loads.find([holder], 2000) == {}
    assert asked == [KEY]


def test_a_container_without_a_declaration_has_no_file(tmp_path: Path) -> None:
    keep_declared_load(tmp_path, {"OTHER": "x"})
    assert list(tmp_path.iterdir()) == []
    assert read_declared_load(tmp_path) == ""
    assert read_declared_load(tmp_path / "gone") == ""


def _facts(*, is_simulated: bool) -> list[CardReading]:
    facts = AcceleratorFacts(
        uuid=WHOLE.uuid,
        index=0,
        vendor="nvidia",
        model="NVIDIA L40S",
        memory_mib=46_068,
        health=AcceleratorHealth.OK,
        simulated=is_simulated,
    )
    return [CardReading(facts)]
