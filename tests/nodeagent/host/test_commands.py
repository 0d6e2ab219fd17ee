"""Programs of the host: their answers, their faults, and that none outlives its deadline."""

import sys

from nodeagent.host.commands import NOT_FOUND, TIMED_OUT, HostCommandRunner


async def test_answer_has_output_input_and_environment() -> None:
    program = "import os, sys; print(sys.stdin.read() + os.environ['X']); sys.exit(3)"
    result = await HostCommandRunner().run(
        (sys.executable, "-c", program), text="in-", env={"X": "y"}
    )
    assert (result.code, result.output, result.is_success, result.last_line) == (
        3,
        "in-y\n",
        False,
        "in-y",
    )


async def test_missing_program_is_a_bad_result() -> None:
    result = await HostCommandRunner().run(("/no/such/program",))
    assert (result.code, result.last_line) == (
        NOT_FOUND,
        "/no/such/program: No such file or directory",
    )


async def test_what_takes_too_long_is_killed() -> None:
    result = await HostCommandRunner().run(("sleep", "1000"), within_s=0.05)
    assert (result.code, result.last_line) == (TIMED_OUT, "sleep did not end within 0.05 s")
