"""The cards of a node from look to look: whose processes they are, and what outlives the agent."""

import asyncio
import os
import threading
from dataclasses import replace
from pathlib import Path

from nodeagent.card_ports import CardProcess, CardReading
from nodeagent.core.state import Container, ContainerKey
from nodeagent.gpu.health.evaluation import HealthThresholds
from nodeagent.gpu.health.monitor import HealthMonitor, attribute_gpu_usage
from nodeagent.gpu.health.store import HealthStore, SavedHealth
from nodeagent.host.write_behind import WriteBehind
from nodeagent.ports import GpuUsage
from tests.waiting import wait_until_async
from wire.facts import AcceleratorFacts, AcceleratorHealth
from wire.words import Device, Phase

AT_ONCE = HealthThresholds(foreign_ms=0, unreturned_ms=0, clean_ms=0)
JOB, OTHER = ContainerKey("job.0", 1), ContainerKey("other.0", 1)


def a_reading(
    *processes: CardProcess, uuid: str = "GPU-a", used_mib: int = 0, xids: tuple[int, ...] = ()
) -> CardReading:
    facts = AcceleratorFacts(
        uuid=uuid, index=0, vendor="nvidia", model="x", memory_mib=81559, memory_used_mib=used_mib
    )
    return CardReading(facts, processes, xids)


def holding(key: ContainerKey, *uuids: str) -> Container:
    return Container(key, tuple(Device(uuid, 1024) for uuid in uuids), Phase.RUNNING)


def evaluate(
    monitor: HealthMonitor,
    reading: CardReading,
    *held: Container,
    owners: dict[int, ContainerKey] | None,
) -> str:
    (card,) = monitor.evaluate([reading], held, owners, 1000)
    return card.fault


def test_own_processes_are_no_strangers_and_all_others_are() -> None:
    reading = a_reading(CardProcess(11, 100))
    container = holding(JOB, "GPU-a")
    assert evaluate(HealthMonitor(limits=AT_ONCE), reading, container, owners={11: JOB}) == ""
    assert (
        evaluate(HealthMonitor(limits=AT_ONCE), reading, container, owners={}) == "foreign_process"
    )
    # A tenant on a card of somebody else is a stranger there.
    assert (
        evaluate(HealthMonitor(limits=AT_ONCE), reading, container, owners={11: OTHER})
        == "foreign_process"
    )
    assert (
        evaluate(HealthMonitor(limits=AT_ONCE), reading, holding(JOB, "GPU-b"), owners={11: JOB})
        != ""
    )


def test_c7_memory_on_a_card_is_not_explained_by_work_that_only_starts() -> None:
    full, running = a_reading(used_mib=20_000), holding(JOB, "GPU-a")
    starting = replace(running, phase=Phase.STARTING)
    assert evaluate(HealthMonitor(limits=AT_ONCE), full, running, owners={}) == ""
    assert (
        evaluate(HealthMonitor(limits=AT_ONCE), full, starting, owners={}) == "memory_not_returned"
    )
    silent = replace(full, processes=None)
    assert evaluate(HealthMonitor(limits=AT_ONCE), silent, starting, owners=None) == ""


def test_nobody_is_called_a_stranger_while_nobody_can_say_whose_it_is() -> None:
    assert (
        evaluate(HealthMonitor(limits=AT_ONCE), a_reading(CardProcess(11, 100)), owners=None) == ""
    )


def test_the_agent_itself_may_be_on_a_card() -> None:
    assert (
        evaluate(HealthMonitor(limits=AT_ONCE), a_reading(CardProcess(os.getpid(), 1)), owners={})
        == ""
    )


def test_a_latched_fault_outlives_the_agent_but_not_the_boot(tmp_path: Path) -> None:
    path = tmp_path / "cards.json"
    monitor = HealthMonitor(save=HealthStore(path, "boot-1").save)
    assert evaluate(monitor, a_reading(xids=(79,)), owners={}) == "xid_79"
    assert [(fault.code, fault.detail) for fault in monitor.report_faults()] == [
        ("reboot_needed", "#0")
    ]
    after_restart = HealthMonitor(HealthStore(path, "boot-1").load())
    assert evaluate(after_restart, a_reading(), owners={}) == "xid_79"
    assert evaluate(HealthMonitor(HealthStore(path, "boot-2").load()), a_reading(), owners={}) == ""


def test_an_unreadable_store_latches_nothing(tmp_path: Path) -> None:
    path = tmp_path / "cards.json"
    for text in ("", "[]", '{"boot_id": "b"}', '{"boot_id": "b", "latched_faults": 3}'):
        path.write_text(text)
        assert HealthStore(path, "b").load() == SavedHealth()


async def test_no_evaluation_waits_for_the_disk_and_a_full_one_loses_no_fault(
    tmp_path: Path,
) -> None:
    store, is_full = HealthStore(tmp_path / "cards.json", "boot-1"), threading.Event()
    is_full.set()
    tries: list[SavedHealth] = []

    def save(kept: SavedHealth) -> None:
        tries.append(kept)
        if is_full.is_set():
            raise OSError(28, "No space left on device")
        store.save(kept)

    saver = WriteBehind("cards", save, retry_s=0.01)
    monitor = HealthMonitor(store.load(), saver.put)
    assert evaluate(monitor, a_reading(xids=(79,)), owners={}) == "xid_79"
    assert [fault.code for fault in monitor.report_faults()] == ["reboot_needed"]
    assert tries == []
    saving = asyncio.create_task(saver.run())
    await wait_until_async(lambda: tries)
    monitor.request_retests({"GPU-a": 1})
    assert evaluate(monitor, a_reading(), owners={}) == ""
    is_full.clear()
    await saver.wait_written()
    saving.cancel()
    assert store.load() == SavedHealth(retests={"GPU-a": 1})


def test_an_operators_order_drops_what_is_remembered_once_and_across_restarts(
    tmp_path: Path,
) -> None:
    store = HealthStore(tmp_path / "cards.json", "boot-1")
    monitor = HealthMonitor(save=store.save)
    assert evaluate(monitor, a_reading(xids=(79,)), owners={}) == "xid_79"
    assert monitor.request_retests({"GPU-a": 1, "GPU-away": 5})
    # Nothing new, so no reading of its own.
    assert not monitor.request_retests({"GPU-a": 1, "GPU-away": 5})
    assert evaluate(monitor, a_reading(), owners={}) == ""
    assert monitor.report_faults() == ()

    # The same order, still in every reply: what comes later is not forgiven by it.
    for agent in (monitor, HealthMonitor(store.load(), store.save)):
        agent.request_retests({"GPU-a": 1})
        (card,) = agent.evaluate([a_reading(xids=(95,))], (), {}, 2000)
        assert (card.fault, card.retested) == ("xid_95", 1)
    assert HealthStore(tmp_path / "cards.json", "boot-2").load() == SavedHealth(
        retests={"GPU-a": 1}
    )


def test_a_card_that_is_not_in_order_is_faulty_again_right_after_a_retest() -> None:
    strange, leaking = a_reading(CardProcess(11, 100)), a_reading(used_mib=9000)
    monitor = HealthMonitor()
    for number, (reading, fault) in enumerate(
        [(strange, "foreign_process"), (leaking, "memory_not_returned"), (a_reading(), "")], start=1
    ):
        monitor.request_retests({"GPU-a": number})
        # At once, without the delay of a first observation.
        assert evaluate(monitor, reading, owners={}) == fault
    gone = a_reading().facts.model_copy(
        update={"health": AcceleratorHealth.GONE, "fault": "gpu_lost"}
    )
    monitor.request_retests({"GPU-a": 9})
    assert evaluate(monitor, CardReading(gone), owners={}) == "gpu_lost"


def test_use_of_a_container_is_that_of_its_own_processes_only() -> None:
    looks = [
        a_reading(CardProcess(1, 100, 30), CardProcess(2, 50, 20), uuid="GPU-a"),
        a_reading(CardProcess(3, 10, 10), uuid="GPU-b"),
        a_reading(CardProcess(4, None, None), uuid="GPU-c"),
    ]
    held = [
        holding(JOB, "GPU-a", "GPU-b"),
        holding(OTHER, "GPU-a"),
        holding(ContainerKey("n", 1), "GPU-c"),
    ]
    owners = {1: JOB, 2: OTHER, 3: JOB, 4: ContainerKey("n", 1)}
    assert attribute_gpu_usage(looks, held, owners) == {
        JOB: GpuUsage(110, 20),
        OTHER: GpuUsage(50, 20),
        ContainerKey("n", 1): GpuUsage(None, None),
    }


def test_what_no_driver_can_tell_is_not_measured() -> None:
    blind = CardReading(a_reading().facts, None)
    assert attribute_gpu_usage([blind], [holding(JOB, "GPU-a"), holding(OTHER)], {}) == {}
