"""What every container runtime promises, asked of each of them."""

import asyncio
import json
import re
import time
from contextlib import suppress
from dataclasses import asdict, replace

import pytest

from nodeagent.core.state import ContainerKey, GracePeriod, PendingStop
from nodeagent.core.stop_notice import StopNotice
from nodeagent.disk.log_end import LogShare
from nodeagent.ports import (
    ContainerRuntime,
    RunningContainer,
    RuntimeUnavailableError,
    StartError,
)
from tests.fakes import work
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.contract.conftest import LOG_BYTES, Node, first_end
from tests.waiting import PATIENCE_S, wait_until_async
from wire.log_lines import GAP_LINE_MAX
from wire.words import Device, ExitCause, Phase, Probe, SilenceTerm

KEY = ContainerKey("job.0", 1)
CLOCK_TICK_MS = 20
"""File systems keep the time of the kernel's last tick."""
DEVICES = (Device("SIM-1", 4096, slices=8), Device("SIM-2", 4096, slot=1, slices=8))


async def wait_for_log(runtime: ContainerRuntime, offset: int, text: bytes) -> None:
    """Wait until the log has this text at an offset."""

    async def is_written() -> bool:
        return await runtime.read_log(KEY, offset, len(text)) == text

    await wait_until_async(is_written)


async def wait_for_checkpoint(runtime: ContainerRuntime) -> None:
    """Wait until the work says that it is saved."""

    async def is_saved() -> bool:
        return KEY in await runtime.read_checkpoints([KEY])

    await wait_until_async(is_saved)


async def wait_until_deaf(runtime: ContainerRuntime) -> None:
    """Wait until `IGNORES_SIGTERM` does: a signal before its first line would end it."""
    await wait_for_log(runtime, 0, work.DEAF)


async def test_f27_end_has_cause_exit_code_and_times(node: Node) -> None:
    await node.runtime.start(an_order(work.SPEAKS_AND_EXITS_3), ignore_progress)
    end = await node.runtime.wait_for_end(KEY)
    assert (end.key, end.cause, end.exit_code) == (KEY, ExitCause.EXITED, 3)
    assert end.started_at is not None
    assert end.started_at <= end.finished_at


async def test_log_is_complete_at_the_end_and_read_in_pieces(node: Node) -> None:
    await node.runtime.start(an_order(work.SPEAKS_AND_EXITS_3), ignore_progress)
    await node.runtime.wait_for_end(KEY)
    assert await node.runtime.read_log(KEY, 0, 1000) == work.SPOKEN
    assert await node.runtime.read_log(KEY, 4, 3) == b"two"
    assert await node.runtime.read_log(KEY, 8, 1000) == b""


async def test_its_log_has_times_beside_it_and_none_in_it(node: Node) -> None:
    before = time.time_ns() // 1_000_000
    await node.runtime.start(an_order(work.SPEAKS_AND_EXITS_3), ignore_progress)
    await node.runtime.wait_for_end(KEY)
    assert await node.runtime.read_log(KEY, 0, 1000) == work.SPOKEN
    marks = await node.runtime.read_marks(KEY, 0, 1000)
    assert marks[0].offset == 0
    assert all(before <= mark.at_ms <= time.time_ns() // 1_000_000 for mark in marks)
    assert all(work.SPOKEN[: mark.offset].endswith(b"\n") for mark in marks[1:])
    assert not await node.runtime.read_marks(KEY, 1000, 2000)


async def test_a_log_is_shown_no_further_than_its_times_are_known(node: Node) -> None:
    await node.runtime.start(an_order(work.IGNORES_SIGTERM), ignore_progress)
    await wait_until_deaf(node.runtime)
    marks = await node.runtime.read_marks(KEY, 0, 1000)
    assert [mark.offset for mark in marks] == [0]


async def test_live_container_is_held_with_its_devices(node: Node) -> None:
    await node.runtime.start(an_order(work.SLEEPS, devices=DEVICES), ignore_progress)
    (held,) = await node.runtime.list_containers()
    assert isinstance(held, RunningContainer)
    assert (held.container.key, held.container.devices) == (KEY, DEVICES)
    assert KEY in await node.runtime.measure_usage()


@pytest.mark.parametrize("silence", SilenceTerm)
async def test_work_outlives_the_agent_and_is_found_by_the_next(
    node: Node, silence: SilenceTerm
) -> None:
    order = replace(an_order(work.SLEEPS, devices=DEVICES), silence=silence)
    await node.runtime.start(order, ignore_progress)
    again = node.restarted()
    (held,) = await again.list_containers()
    assert isinstance(held, RunningContainer)
    assert (held.container.devices, held.container.silence) == (DEVICES, silence)
    await again.stop(KEY, ExitCause.STOPPED, 5_000)
    assert (await again.wait_for_end(KEY)).cause is ExitCause.STOPPED


async def test_next_agent_knows_the_probe_and_whether_it_was_answered(node: Node) -> None:
    probe = Probe("/ready", 8000, deadline_s=60)
    begun = await node.runtime.start(an_order(work.SLEEPS, probe=asdict(probe)), ignore_progress)
    assert (begun.container.phase, begun.container.is_ready) == (Phase.RUNNING, False)
    for is_ready in (False, True):
        (held,) = await node.restarted().list_containers()
        assert isinstance(held, RunningContainer)
        assert (held.probe, held.container.is_ready) == (probe, is_ready)
        assert held.container.phase is Phase.RUNNING
        await node.runtime.mark_ready(KEY)


async def test_work_without_a_probe_runs_and_nothing_is_said_of_being_ready(node: Node) -> None:
    begun = await node.runtime.start(an_order(work.SLEEPS), ignore_progress)
    assert (begun.container.phase, begun.container.is_ready) == (Phase.RUNNING, None)
    assert begun.probe is None


async def test_end_is_kept_for_the_next_agent(node: Node) -> None:
    await node.runtime.start(an_order(work.SPEAKS_AND_EXITS_3), ignore_progress)
    end = await node.runtime.wait_for_end(KEY)
    assert await node.restarted().list_containers() == (end,)


async def test_end_without_any_agent_is_found_by_the_next(node: Node) -> None:
    await node.runtime.start(an_order(work.SPEAKS_AND_EXITS_3), ignore_progress)
    again = node.restarted()
    end = await first_end(again)
    assert (end.cause, end.exit_code) == (ExitCause.EXITED, 3)


async def test_polite_stop_ends_with_the_cause_that_was_ordered(node: Node) -> None:
    for epoch, cause in enumerate((ExitCause.STOPPED, ExitCause.LEASE_ENDED, ExitCause.VANISHED)):
        await node.runtime.start(an_order(work.SLEEPS, epoch=epoch), ignore_progress)
        await node.runtime.stop(ContainerKey("job.0", epoch), cause, 10_000)
        assert (await node.runtime.wait_for_end(ContainerKey("job.0", epoch))).cause is cause


async def test_work_is_warned_by_file_and_signal_and_says_when_it_is_saved(node: Node) -> None:
    before = time.time_ns() // 1_000_000
    await node.runtime.start(an_order(work.HEEDS_WARNING), ignore_progress)
    await wait_for_log(node.runtime, 0, b"saved\n")
    saved = await node.runtime.read_checkpoints([KEY, ContainerKey("other.0", 0)])
    assert saved.keys() == {KEY}
    assert await node.runtime.read_checkpoints([]) == {}
    assert saved[KEY] >= before - CLOCK_TICK_MS

    await node.runtime.deliver_notice(KEY, StopNotice("preempted", "", 60_000, 80_000))
    (held,) = await node.runtime.list_containers()
    assert isinstance(held, RunningContainer)
    await node.runtime.deliver_notice(KEY, StopNotice("preempted", "SIGUSR1", 60_000, 80_000))

    end = await node.runtime.wait_for_end(KEY)
    assert (end.cause, end.exit_code) == (ExitCause.EXITED, 0)
    told = (await node.runtime.read_log(KEY, 6, 1000)).decode()
    assert json.loads(told) == {"reason": "preempted", "stop_at": 60, "deadline": 80}


async def test_next_agent_finds_the_stop_that_is_under_way(node: Node) -> None:
    await node.runtime.start(an_order(work.IGNORES_SIGTERM), ignore_progress)
    await wait_until_deaf(node.runtime)
    notice = GracePeriod(900_000, 600_000, reason="preempted")
    announced = PendingStop(ExitCause.STOPPED, 300_000, notice=notice, warned_at=5)
    told = StopNotice("preempted", "", 60_000, 960_000, announced)
    await node.runtime.deliver_notice(KEY, told)
    (held,) = await node.restarted().list_containers()
    assert isinstance(held, RunningContainer)
    assert held.container.stop == announced

    stopping = asyncio.create_task(node.runtime.stop(KEY, ExitCause.STOPPED, 300_000))

    async def is_ordered() -> bool:
        (found,) = await node.restarted().list_containers()
        stop = found.container.stop if isinstance(found, RunningContainer) else None
        return stop is not None and stop.kill_at is not None

    await wait_until_async(is_ordered)
    await node.restarted().stop(KEY, ExitCause.STOPPED, 0)
    assert (await node.runtime.wait_for_end(KEY)).exit_code == 137
    await stopping


async def test_warning_what_is_gone_is_nothing_to_do(node: Node) -> None:
    await node.runtime.start(an_order(work.SPEAKS_AND_EXITS_3), ignore_progress)
    await node.runtime.wait_for_end(KEY)
    await node.runtime.remove(KEY)
    with suppress(RuntimeUnavailableError):
        await node.runtime.deliver_notice(KEY, StopNotice("preempted", "SIGUSR1", 60_000, 80_000))
    assert await node.runtime.list_containers() == ()
    assert await node.runtime.read_checkpoints([KEY]) == {}


async def test_f27_stop_is_enforced_after_the_grace(node: Node) -> None:
    await node.runtime.start(an_order(work.IGNORES_SIGTERM), ignore_progress)
    await wait_until_deaf(node.runtime)
    await node.runtime.stop(KEY, ExitCause.STOPPED, 1_000)
    end = await node.runtime.wait_for_end(KEY)
    assert (end.cause, end.exit_code) == (ExitCause.STOPPED, 137)


async def test_second_stop_hurries_and_keeps_the_first_cause(node: Node) -> None:
    await node.runtime.start(an_order(work.IGNORES_SIGTERM), ignore_progress)
    await wait_until_deaf(node.runtime)
    slow = asyncio.create_task(node.runtime.stop(KEY, ExitCause.STOPPED, 600_000))
    await asyncio.sleep(0)
    hurried = asyncio.create_task(node.runtime.stop(KEY, ExitCause.LEASE_ENDED, 1_000))
    async with asyncio.timeout(PATIENCE_S):
        end = await node.runtime.wait_for_end(KEY)
        await asyncio.gather(slow, hurried)
    assert end.cause is ExitCause.STOPPED


async def test_second_start_is_refused_and_the_first_goes_on(node: Node) -> None:
    await node.runtime.start(an_order(work.SLEEPS), ignore_progress)
    with pytest.raises(StartError):
        await node.runtime.start(an_order(work.SLEEPS), ignore_progress)
    (held,) = await node.runtime.list_containers()
    assert isinstance(held, RunningContainer)


async def test_missing_image_is_told_apart(node: Node) -> None:
    with pytest.raises(StartError) as caught:
        await node.runtime.start(an_order(work.SLEEPS, image=work.MISSING_IMAGE), ignore_progress)
    assert caught.value.cause is ExitCause.IMAGE_UNAVAILABLE
    assert caught.value.detail.split(":")[0] in {"image_not_found", "registry_unknown"}
    assert await node.runtime.list_containers() == ()


async def test_missing_program_is_a_failed_start(node: Node) -> None:
    try:
        await node.runtime.start(an_order(work.NOT_FOUND), ignore_progress)
    except StartError as error:
        cause, detail = error.cause, error.detail
    else:
        # Where an init process runs the program, it is the one to find it missing.
        end = await node.runtime.wait_for_end(KEY)
        cause, detail = end.cause, end.detail
    assert (cause, detail.split(":")[0]) == (ExitCause.START_FAILED, "command_not_found")


async def test_script_of_which_a_shell_cannot_read_the_lines_is_named(node: Node) -> None:
    await node.runtime.start(an_order(work.RUNS_LINES_OF_WINDOWS), ignore_progress)
    end = await node.runtime.wait_for_end(KEY)
    assert (end.cause, end.exit_code) == (ExitCause.EXITED, 2)
    assert end.detail.startswith("script_line_ends: a.sh: ")


async def test_script_whose_interpreter_is_missing_is_a_failed_start(node: Node) -> None:
    order = an_order(())
    spec = order.spec.model_copy(update={"script": work.UNREADABLE_SCRIPT})
    await node.runtime.start(replace(order, spec=spec), ignore_progress)
    end = await node.runtime.wait_for_end(KEY)
    assert (end.cause, end.detail.split(":")[0]) == (ExitCause.START_FAILED, "script_interpreter")


async def test_kill_by_somebody_is_told_from_a_crash(node: Node) -> None:
    for epoch, command, expected in (
        (1, work.KILLS_ITSELF, (ExitCause.KILLED, 137)),
        (2, work.CRASHES, (ExitCause.EXITED, 139)),
    ):
        await node.runtime.start(an_order(command, epoch=epoch), ignore_progress)
        end = await node.runtime.wait_for_end(ContainerKey("job.0", epoch))
        assert (end.cause, end.exit_code) == expected


async def test_what_a_launcher_notes_is_why_the_start_failed(node: Node) -> None:
    for epoch, command, expected in (
        (1, work.NOTES_A_FAULT, (ExitCause.START_FAILED, None, "program_missing: ray")),
        (2, work.LINKS_A_FAULT, (ExitCause.EXITED, 1, "")),
    ):
        await node.runtime.start(an_order(command, epoch=epoch), ignore_progress)
        end = await node.runtime.wait_for_end(ContainerKey("job.0", epoch))
        assert (end.cause, end.exit_code, end.detail) == expected


async def test_f27_log_keeps_its_beginning_and_never_grows_beyond_its_limit(node: Node) -> None:
    await node.runtime.start(an_order(work.CHATTERS), ignore_progress)
    beginning = LogShare.of(LOG_BYTES).beginning
    await wait_for_log(node.runtime, beginning - 1, work.CHATTER[:1])
    assert len(await node.runtime.read_log(KEY, 0, 10 * LOG_BYTES)) == beginning
    await wait_for_checkpoint(node.runtime)
    await node.runtime.stop(KEY, ExitCause.STOPPED, 0)
    assert (await node.runtime.wait_for_end(KEY)).cause is ExitCause.STOPPED
    kept = await node.runtime.read_log(KEY, 0, 10 * LOG_BYTES)
    assert kept.startswith(b"first\n" + work.CHATTER)
    assert b" bytes left out ...]\n" in kept
    assert LOG_BYTES < len(kept) <= LOG_BYTES + GAP_LINE_MAX


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_a_long_log_keeps_its_beginning_and_its_end(node: Node, is_restarted: bool) -> None:
    share, said = LogShare.of(LOG_BYTES), work.FLOOD + work.REASON
    await node.runtime.start(an_order(work.FLOODS), ignore_progress)
    if is_restarted:
        await wait_for_log(node.runtime, 0, b"0")
        node.runtime = node.restarted()
        await node.runtime.list_containers()
    end = await node.runtime.wait_for_end(KEY)
    kept = await node.runtime.read_log(KEY, 0, 10 * LOG_BYTES)

    assert (end.cause, end.exit_code) == (ExitCause.EXITED, 1)
    assert kept[: share.beginning] == said[: share.beginning]
    assert kept[-share.end :] == said[-share.end :]
    gap = re.fullmatch(
        rb"\n\[\.\.\. (?:at least )?(\d+) lines, (\d+) bytes left out \.\.\.\]\n",
        kept[share.beginning : -share.end],
    )
    assert gap is not None
    left_out = said[share.beginning : -share.end]
    assert [int(count) for count in gap.groups()] == [left_out.count(b"\n"), len(left_out)]


async def test_the_end_of_a_long_log_has_times(node: Node) -> None:
    begun_ms = time.time_ns() // 1_000_000
    await node.runtime.start(an_order(work.FLOODS), ignore_progress)
    await node.runtime.wait_for_end(KEY)

    marks = await node.runtime.read_marks(KEY, 0, 10 * LOG_BYTES)
    assert all(begun_ms - 1000 <= mark.at_ms <= time.time_ns() // 1_000_000 for mark in marks)
    assert [mark.offset for mark in marks] == sorted({mark.offset for mark in marks})


async def test_metrics_that_come_after_a_full_log_are_kept(node: Node) -> None:
    await node.runtime.start(an_order(work.MEASURES), ignore_progress)
    await node.runtime.wait_for_end(KEY)

    assert (await node.runtime.read_log(KEY, 0, 10 * LOG_BYTES)).endswith(work.MEASURED)
    assert await node.runtime.read_excess(KEY, 0, 1000) == work.MEASURED
    assert await node.runtime.read_excess(KEY, 9, 3) == b"los"


async def test_steps_of_a_start_are_told_in_order(node: Node) -> None:
    told = list[str]()
    await node.runtime.start(an_order(work.SLEEPS), lambda step, _=None: told.append(step))
    assert told[-1] == "starting"
    await node.runtime.stop(KEY, ExitCause.STOPPED, 0)


async def test_f27_too_much_memory_is_told_apart(node: Node) -> None:
    await node.runtime.start(an_order(work.FILLS_MEMORY), ignore_progress)
    assert (await node.runtime.wait_for_end(KEY)).cause is ExitCause.OUT_OF_MEMORY


async def test_cards_are_named_and_reserved_variables_are_ours(node: Node) -> None:
    await node.runtime.start(an_order(work.SHOWS_CARDS, devices=DEVICES), ignore_progress)
    await node.runtime.wait_for_end(KEY)
    assert await node.runtime.read_log(KEY, 0, 1000) == b"SIM-1,SIM-2\n"


async def test_removed_container_leaves_nothing(node: Node) -> None:
    await node.runtime.start(an_order(work.SPEAKS_AND_EXITS_3), ignore_progress)
    await node.runtime.wait_for_end(KEY)
    await node.runtime.remove(KEY)
    assert await node.runtime.list_containers() == ()
    assert await node.runtime.read_log(KEY, 0, 1000) == b""


async def test_unknown_containers_are_nothing_to_stop_or_remove(node: Node) -> None:
    await node.runtime.stop(KEY, ExitCause.STOPPED, 0)
    await node.runtime.remove(KEY)
    assert await node.runtime.list_containers() == ()
