"""How a container ended, from the engine's description of it."""

from typing import Any

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.disk.stop_files import StopOrder
from nodeagent.docker.containers.container_spec import SCRIPT
from nodeagent.docker.containers.inspection import find_published_port, parse_end, parse_wall_ms
from wire.words import ExitCause

KEY = ContainerKey("job.0", 1)


def described(exit_code: int, **state: Any) -> dict[str, Any]:
    times = {"StartedAt": "2026-01-02T03:04:05Z", "FinishedAt": "2026-01-02T03:04:06Z"}
    return {"State": {"ExitCode": exit_code, **times, **state}}


@pytest.mark.parametrize(
    ("exit_code", "cause", "detail"),
    [
        (0, ExitCause.EXITED, ""),
        (3, ExitCause.EXITED, ""),
        (137, ExitCause.KILLED, "SIGKILL"),
        (143, ExitCause.KILLED, "SIGTERM"),
        (130, ExitCause.KILLED, "SIGINT"),
        (139, ExitCause.EXITED, "SIGSEGV"),
        (134, ExitCause.EXITED, "SIGABRT"),
        (255, ExitCause.EXITED, ""),
    ],
)
def test_exit_code_tells_a_kill_from_a_crash(exit_code: int, cause: ExitCause, detail: str) -> None:
    end = parse_end(KEY, described(exit_code), None)
    assert (end.cause, end.exit_code, end.detail) == (cause, exit_code, detail)


def test_order_to_stop_is_the_cause_whatever_the_exit_code_says() -> None:
    end = parse_end(KEY, described(137, OOMKilled=True), StopOrder(ExitCause.STOPPED, 0))
    assert (end.cause, end.exit_code) == (ExitCause.STOPPED, 137)


@pytest.mark.parametrize("exit_code", [2, 4, 127])
def test_exit_code_of_the_work_s_own_says_more_than_a_killed_process(exit_code: int) -> None:
    end = parse_end(KEY, described(exit_code, OOMKilled=True), None)
    found = (end.cause, end.exit_code, end.detail)
    assert found == (ExitCause.EXITED, exit_code, "a_process_was_killed_for_memory")


def test_memory_is_the_cause_unless_the_work_finished_well_all_the_same() -> None:
    assert parse_end(KEY, described(137, OOMKilled=True), None).cause is ExitCause.OUT_OF_MEMORY
    assert parse_end(KEY, described(1, OOMKilled=True), None).cause is ExitCause.OUT_OF_MEMORY
    well = parse_end(KEY, described(0, OOMKilled=True), None)
    assert (well.cause, well.detail) == (ExitCause.EXITED, "a_process_was_killed_for_memory")


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("No such file or directory", "command_not_found"),
        ("Permission denied", "command_not_executable"),
        ("Exec format error", "command_wrong_platform"),
    ],
)
def test_command_that_init_could_not_run_is_a_failed_start(reason: str, code: str) -> None:
    words = f"[FATAL tini (7)] exec /no/such failed: {reason}\n"
    end = parse_end(KEY, described(127), None, words)
    assert (end.cause, end.detail.split(":")[0]) == (ExitCause.START_FAILED, code)


def test_own_script_that_init_could_not_run_names_a_program_that_is_not_there() -> None:
    words = f"[FATAL tini (7)] exec {SCRIPT} failed: No such file or directory\n"
    end = parse_end(KEY, described(127), None, words)
    assert (end.cause, end.detail.split(":")[0]) == (ExitCause.START_FAILED, "script_interpreter")


def test_times_are_read_to_the_millisecond() -> None:
    state = {"StartedAt": "2026-01-02T03:04:05.123456789Z", "FinishedAt": "2026-01-02T03:04:06Z"}
    end = parse_end(KEY, described(0, **state), None)
    assert end.started_at is not None
    assert end.finished_at - end.started_at == 877


def test_run_too_short_for_the_engine_s_clock_ends_no_earlier_than_it_starts() -> None:
    state = {"StartedAt": "2026-01-02T03:04:05.9Z", "FinishedAt": "2026-01-02T03:04:05.1Z"}
    end = parse_end(KEY, described(0, **state), None)
    assert end.finished_at == end.started_at


def test_unset_times_and_ports_are_none() -> None:
    assert parse_wall_ms("0001-01-01T00:00:00Z") is None
    assert find_published_port({"NetworkSettings": {"Ports": {}}}) is None
