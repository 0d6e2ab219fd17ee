"""Cards on paper: stable, labelled, as busy as their holders."""

from typing_extensions import override

from nodeagent.core.state import Container, Device, Key, Phase
from nodeagent.facts import FactSampler, NodeOffer
from nodeagent.gpu.simulated import PaperCard, SimulatedDriver, card_uuid
from nodeagent.ports import Usage
from tests.fakes.node_ports import FakeClock
from tests.fakes.runtime import FakeMachine, FakeRuntime

DRIVER = SimulatedDriver("gpu-dev-1", [PaperCard("Simulated 32GB", 32768)] * 8)


async def test_cards_are_labelled_and_keep_their_identity() -> None:
    first, second = await DRIVER.read({}, {}), await DRIVER.read({}, {})
    assert first == second
    cards = [look.facts for look in first.cards]
    assert len({card.uuid for card in cards}) == 8
    assert all(card.simulated and card.utilisation_pct == 0 for card in cards)
    assert card_uuid("gpu-dev-1", 0) != card_uuid("gpu-dev-2", 0)


class BusyRuntime(FakeRuntime):
    """Its one container has used whatever the test says."""

    used: Usage = Usage(0, 0)

    @override
    async def usage(self) -> dict[Key, Usage]:
        return {Key("a.0", 1): self.used}


async def test_load_of_a_card_is_what_its_holder_does_with_the_processor() -> None:
    clock, runtime = FakeClock(), BusyRuntime(FakeMachine())
    sampler = FactSampler(NodeOffer(1000, 1024, "x"), runtime, DRIVER, clock)
    slices = tuple(Device(card_uuid("gpu-dev-1", 0), slot, 8, 4096) for slot in range(4))
    holder = (Container(Key("a.0", 1), slices, Phase.RUNNING),)
    await sampler.sample(holder)
    clock.now += 10_000
    runtime.used = Usage(cpu_ms=5_000, memory_mib=1000)
    await sampler.sample(holder)
    card = sampler.facts().accelerators[0]
    assert (card.utilisation_pct, card.memory_used_mib) == (24, 1000)
    assert sampler.facts().accelerators[1].utilisation_pct == 0
