"""The port as the agent uses it: what is set is on record, and is taken back whatever happens."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.ports import Injection, Mount, ProcessScope, StartError
from nodeagent.sharing.controller import SharingController
from nodeagent.sharing.records import FILE, ShareRecord, ShareRecords, ShareRecordsInspection
from nodeagent.sharing.residual_memory import ResidualMemoryCheck
from tests.builders.shares import CARD, KEY, a_card, a_share_order, a_slice
from wire.words import Device, ExitCause, Isolation

SCOPE = ProcessScope(4711, "docker/abc")


@dataclass
class Recording:
    """A mode that writes down what it is asked."""

    isolation: Isolation = Isolation.CGROUP
    told: list[tuple[str, ContainerKey]] = field(default_factory=list)
    fails: str = ""
    can_resume: bool = True

    async def prepare(self, record: ShareRecord) -> Injection:
        return self._tell("fit", record)

    async def enforce(self, record: ShareRecord, scope: ProcessScope) -> None:
        self._tell("enforce", record)

    async def release(self, record: ShareRecord) -> None:
        self._tell("release", record)

    def _tell(self, what: str, record: ShareRecord) -> Injection:
        self.told.append((what, record.key))
        if what == self.fails:
            raise StartError(ExitCause.ISOLATION_UNAVAILABLE, "no")
        return Injection(env={"A": "1"}, mounts=(Mount(Path("/a"), "/b"),))


def node(root: Path, *modes: Recording, offered: tuple[Isolation, ...] = ()) -> SharingController:
    cards = (
        a_card(*(offered or [mode.isolation for mode in modes])),
        a_card(uuid="SIM-1", simulated=True),
        a_card(Isolation.MPS, uuid="GPU-2"),
    )
    return SharingController(lambda: cards, ShareRecords(root / "sharing"), modes)


async def test_container_without_cards_needs_nothing(tmp_path: Path) -> None:
    mode = Recording()
    assert await node(tmp_path, mode).prepare(a_share_order()) == Injection()
    assert mode.told == []


async def test_whole_card_is_exclusive_without_any_mode(tmp_path: Path) -> None:
    mode = Recording()
    injection = await node(tmp_path, mode).prepare(a_share_order(Device(CARD, 81559)))
    assert injection == Injection(isolation=Isolation.EXCLUSIVE)
    assert mode.told == []


async def test_share_goes_through_prepare_enforce_and_release(tmp_path: Path) -> None:
    mode = Recording()
    carver, order = node(tmp_path, mode), a_share_order(a_slice())
    injection = await carver.prepare(order)
    assert (injection.env, injection.isolation) == ({"A": "1"}, "cgroup")
    await carver.enforce(order, SCOPE)
    await carver.release(KEY)
    await carver.release(KEY)
    assert [what for what, _ in mode.told] == ["fit", "enforce", "release"]
    assert list(ShareRecords(tmp_path / "sharing")) == []


async def test_next_agent_knows_what_was_set(tmp_path: Path) -> None:
    carver, order = (
        node(tmp_path, Recording()),
        a_share_order(a_slice(ceiling=8192, required=Isolation.MPS)),
    )
    await carver.prepare(order)
    await carver.enforce(order, SCOPE)
    (known,) = ShareRecords(tmp_path / "sharing")
    (share,) = known.shares
    assert (known.key, known.tenant, known.scope) == (KEY, "lab", SCOPE)
    assert (share.mode, share.grant.ceiling_mib) == (Isolation.CGROUP, 8192)
    assert share.grant.required is Isolation.MPS
    again = Recording()
    await node(tmp_path, again).release(KEY)
    assert again.told == [("release", KEY)]


async def test_prepare_that_fails_is_released(tmp_path: Path) -> None:
    mode = Recording(fails="fit")
    with pytest.raises(StartError):
        await node(tmp_path, mode).prepare(a_share_order(a_slice()))
    assert [what for what, _ in mode.told] == ["fit", "release"]
    assert list(ShareRecords(tmp_path / "sharing")) == []


@pytest.mark.parametrize(
    ("device", "words"),
    [
        (a_slice(required=Isolation.CGROUP, uuid="GPU-2"), "enforces mps; demanded is cgroup"),
        (a_slice(uuid="GPU-9"), "not among the cards"),
    ],
)
async def test_what_cannot_be_enforced_is_refused_before_anything_is_made(
    tmp_path: Path, device: Device, words: str
) -> None:
    mode = Recording()
    with pytest.raises(StartError, match=words) as caught:
        await node(tmp_path, mode).prepare(a_share_order(device))
    assert caught.value.cause is ExitCause.ISOLATION_UNAVAILABLE
    assert mode.told == []


async def test_card_is_never_shared_in_two_ways(tmp_path: Path) -> None:
    weak = Recording(Isolation.TIMESLICE)
    await node(tmp_path, weak).prepare(a_share_order(a_slice(0)))
    strong = Recording()
    offered = (Isolation.CGROUP, Isolation.TIMESLICE)
    both = node(tmp_path, strong, weak, offered=offered)
    injection = await both.prepare(a_share_order(a_slice(1), allocation="job.1"))
    assert injection.isolation == "timeslice"
    with pytest.raises(StartError, match="not mixed with cgroup"):
        await both.prepare(a_share_order(a_slice(2, required=Isolation.CGROUP), allocation="job.2"))


async def test_node_that_cannot_keep_its_records_starts_nothing(tmp_path: Path) -> None:
    (tmp_path / "sharing").write_text("a file in the way")
    mode = Recording()
    with pytest.raises(StartError) as caught:
        await node(tmp_path, mode).prepare(a_share_order(a_slice()))
    assert caught.value.cause is ExitCause.NODE_FAULT


async def test_simulated_card_has_nothing_to_set(tmp_path: Path) -> None:
    mode = Recording()
    carver, order = (
        node(tmp_path, mode),
        a_share_order(a_slice(uuid="SIM-1", required=Isolation.CGROUP)),
    )
    assert (await carver.prepare(order)).isolation == "cgroup"
    await carver.enforce(order, SCOPE)
    await carver.release(KEY)
    assert mode.told == []


async def test_c7_whoever_is_the_first_on_a_card_waits_until_it_is_empty(tmp_path: Path) -> None:
    occupied, asked = {CARD}, list[frozenset[str]]()

    async def look(uuids: Collection[str]) -> frozenset[str]:
        asked.append(frozenset(uuids))
        return frozenset(occupied.intersection(uuids))

    records = ShareRecords(tmp_path / "sharing")
    cards = (a_card(Isolation.CGROUP), a_card(uuid="SIM-1", simulated=True))
    handover = ResidualMemoryCheck(look, records, timeout_s=0)
    carver = SharingController(lambda: cards, records, [Recording()], handover)
    with pytest.raises(StartError) as refused:
        await carver.prepare(a_share_order(a_slice(0)))
    assert (refused.value.cause, refused.value.detail) == (
        ExitCause.NODE_FAULT,
        f"memory_not_returned: {CARD}",
    )
    assert list(records) == []

    occupied.clear()
    await carver.prepare(a_share_order(a_slice(0)))
    occupied.add(CARD)
    # Its neighbour is kept apart by the mode; what is on the card is somebody's who is there.
    await carver.prepare(a_share_order(a_slice(1), allocation="neighbour.0"))
    # A simulated card has no memory.
    await carver.prepare(a_share_order(a_slice(0, uuid="SIM-1"), allocation="simulated.0"))
    assert asked[-2:] == [frozenset(), frozenset()]


@pytest.mark.parametrize(
    ("spoil", "others"),
    [
        (lambda text: text.replace('"cgroup"', '"of a newer agent"'), "fitted"),
        (lambda text: text[: len(text) // 2], "refused"),  # which cards it had is not certain
    ],
)
async def test_a_record_that_cannot_be_read_closes_its_own_card_until_its_container_has_ended(
    tmp_path: Path, spoil: Callable[[str], str], others: str
) -> None:
    before = node(tmp_path, Recording())
    await before.prepare(a_share_order(a_slice(0)))
    file = tmp_path / "sharing" / f"{KEY.allocation}.{KEY.epoch}" / FILE
    file.write_text(spoil(file.read_text()))

    after = node(tmp_path, Recording())
    assert await _outcome(after, a_slice(1)) == f"share_record_unreadable: {CARD}"
    other = await _outcome(after, a_slice(0, uuid="SIM-1"))
    assert other == ("" if others == "fitted" else "share_record_unreadable: SIM-1")
    with pytest.raises(StartError, match="share_record_unreadable"):
        await after.suspend(KEY)
    (fault,) = (await ShareRecordsInspection(tmp_path / "sharing").inspect()).faults
    assert (fault.code, fault.detail, fault.is_blocking) == (
        "share_record_unreadable",
        "job.0.1",
        False,
    )

    await after.release(KEY)
    assert await _outcome(after, a_slice(1)) == ""
    assert (await ShareRecordsInspection(tmp_path / "sharing").inspect()).faults == ()


async def _outcome(carver: SharingController, device: Device) -> str:
    """Return why a container is refused a device; empty where it gets it."""
    try:
        await carver.prepare(a_share_order(device, allocation=f"other.{device.slot}"))
    except StartError as error:
        return error.detail
    return ""
