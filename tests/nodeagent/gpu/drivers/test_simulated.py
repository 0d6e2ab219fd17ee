"""Cards on paper: stable, labelled, as busy as their holders, and broken on command."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from typing_extensions import override

from nodeagent.app.composition import build_simulated_driver
from nodeagent.app.node_sampler import NodeSampler, SamplerChecks, StaticNodeFacts
from nodeagent.config import load_config
from nodeagent.core.state import Container, ContainerKey
from nodeagent.gpu.drivers.simulated import CardDescription, SimulatedDriver, card_uuid
from nodeagent.gpu.health.evaluation import HealthThresholds
from nodeagent.gpu.health.monitor import HealthMonitor
from nodeagent.ports import ContainerUsage, GpuUsage
from tests.fakes.node_ports import FakeClock
from tests.fakes.runtime import FakeContainerHost, FakeRuntime
from wire.words import Device, GpuReleaseState, Phase

DRIVER = SimulatedDriver("gpu-dev-1", [CardDescription("Simulated 32GB", 32768)] * 8)


async def test_cards_are_labelled_and_keep_their_identity() -> None:
    first, second = await DRIVER.read({}, {}), await DRIVER.read({}, {})
    assert first == second
    cards = [look.facts for look in first.cards]
    assert len({card.uuid for card in cards}) == 8
    assert all(card.simulated and card.utilisation_pct == 0 for card in cards)
    assert card_uuid("gpu-dev-1", 0) != card_uuid("gpu-dev-2", 0)


class BusyRuntime(FakeRuntime):
    """Its one container has used whatever the test says."""

    used: ContainerUsage = ContainerUsage(0, 0)

    @override
    async def measure_usage(self) -> dict[ContainerKey, ContainerUsage]:
        return {ContainerKey("a.0", 1): self.used}


async def test_load_of_a_card_is_what_its_holder_does_with_the_processor() -> None:
    clock, runtime = FakeClock(), BusyRuntime(FakeContainerHost())
    sampler = NodeSampler(StaticNodeFacts(1000, 1024, "x"), runtime, DRIVER, clock)
    slices = tuple(
        Device(card_uuid("gpu-dev-1", 0), 4096, slot=slot, slices=8) for slot in range(4)
    )
    holder = (Container(ContainerKey("a.0", 1), slices, Phase.RUNNING),)
    await sampler.sample(holder)
    clock.now += 10_000
    runtime.used = ContainerUsage(cpu_ms=5_000, memory_mib=1000)
    reading = await sampler.sample(holder)
    card = sampler.current_facts().accelerators[0]
    assert (card.utilisation_pct, card.memory_used_mib) == (24, 1000)
    assert sampler.current_facts().accelerators[1].utilisation_pct == 0
    assert reading.card_use == {ContainerKey("a.0", 1): GpuUsage(1000, 24)}


async def test_a_simulated_card_draws_by_its_use_and_has_no_counter() -> None:
    cards = (await DRIVER.read({card_uuid("gpu-dev-1", 0): 50}, {})).cards
    assert [card.facts.power_mw for card in cards[:2]] == [230_000, 60_000]
    assert all(card.facts.energy_mj is None for card in cards)


async def test_a_simulated_card_is_as_warm_as_its_power_and_place_make_it(tmp_path: Path) -> None:
    cards = (await DRIVER.read({card_uuid("gpu-dev-1", 0): 50}, {})).cards
    assert [card.facts.temperature_c for card in cards[:2]] == [55, 34]
    faults = tmp_path / "faults.toml"
    write(faults, '[cards.0]\ntemperature_c = 95\n[cards.1]\nhealth = "gone"')
    described = [CardDescription("Simulated 80GB", 81920)] * 3
    hot, gone, idle = (await SimulatedDriver("gpu-1", described, faults).read({}, {})).cards
    assert hot.facts.temperature_c == 95
    assert gone.facts.temperature_c is None
    assert idle.facts.temperature_c == 35


DESCRIBED = """
name = "gpu-1"
portal_url = "http://127.0.0.1:1"
state_dir = "/var/lib/berth"
storage_dir = "/srv/berth"
[[simulated.cards]]
count = 2
model = "Simulated 80GB"
memory_mib = 81920
island = 1
[[simulated.cards.mig]]
profile = "1g.10gb"
memory_mib = 9984
start = 3
[[simulated.cards]]
model = "Simulated 16GB"
memory_mib = 16384
"""


async def test_cards_of_several_kinds_are_as_described(tmp_path: Path) -> None:
    path = tmp_path / "agent.toml"
    write(path, DESCRIBED)
    cards = [
        look.facts for look in (await build_simulated_driver(load_config(path)).read({}, {})).cards
    ]
    assert [(card.model, card.memory_mib, card.island) for card in cards] == [
        ("Simulated 80GB", 81920, 1),
        ("Simulated 80GB", 81920, 1),
        ("Simulated 16GB", 16384, 0),
    ]
    parts = [part for card in cards for part in card.mig]
    assert [(part.profile, part.memory_mib, part.start) for part in parts] == [
        ("1g.10gb", 9984, 3)
    ] * 2
    assert len({part.uuid for part in parts}) == 2


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    return tmp_path / "orders.toml"


def write(orders: Path, text: str) -> None:
    orders.write_text(text)


async def verdicts(sampler: NodeSampler) -> list[tuple[str, str]]:
    await sampler.sample(())
    cards = sampler.current_facts().accelerators
    return [(card.health.value, card.fault) for card in cards]


async def test_faults_on_command_go_the_way_of_real_ones(orders: Path) -> None:
    driver = SimulatedDriver("node", [CardDescription("Paper", 32768)] * 3, orders)
    at_once = HealthMonitor(limits=HealthThresholds(unreturned_ms=0, foreign_ms=0, clean_ms=0))
    sampler = NodeSampler(
        StaticNodeFacts(1000, 1024, "x"),
        FakeRuntime(FakeContainerHost()),
        driver,
        FakeClock(),
        checks=SamplerChecks(health_monitor=at_once),
    )
    assert await verdicts(sampler) == [("ok", "")] * 3
    write(orders, "[cards.0]\nmemory_used_mib = 20000\n[cards.2]\nxids = [48]\n")
    assert await verdicts(sampler) == [
        ("dirty", "memory_not_returned"),
        ("ok", ""),
        ("bad", "xid_48"),
    ]
    write(orders, "hangs = true\n")
    assert {health for health, _ in await verdicts(sampler)} == {"bad"}
    assert [fault.code for fault in sampler.current_facts().faults] == ["nvml_hangs"]
    write(orders, "this is no order")
    assert await verdicts(sampler) == [("ok", ""), ("ok", ""), ("bad", "xid_48")]
    assert sampler.current_facts().faults == ()


class EverybodyIs:
    """All processes are in one container."""

    def __init__(self, key: ContainerKey) -> None:
        self._key = key

    async def find_owners(self, pids: frozenset[int]) -> Mapping[int, ContainerKey]:
        return dict.fromkeys(pids, self._key)


async def test_number_of_a_process_that_shall_end_is_handed_out_once(orders: Path) -> None:
    write(orders, "[cards.0]\nprocesses = [4711]\n")
    key = ContainerKey("notebook.0", 1)
    sampler = NodeSampler(
        StaticNodeFacts(1000, 1024, "x"),
        FakeRuntime(FakeContainerHost()),
        SimulatedDriver("node", [CardDescription("Paper", 32768)], orders),
        FakeClock(),
        checks=SamplerChecks(owner_lookup=EverybodyIs(key)),
    )
    away = Container(key, (), Phase.RUNNING, gpu_state=GpuReleaseState.AWAY)
    for _ in range(2):
        await sampler.sample((away,))
        assert sampler.take_stray_pids() == {4711}
        assert not sampler.take_stray_pids()
