"""When an engine counts as silent."""

from nodeagent.docker.engine.client import SILENT_MS, EngineLiveness


def test_first_unanswered_question_counts() -> None:
    pulse = EngineLiveness()
    pulse.asked(1_000)
    pulse.asked(9_000)
    assert pulse.faults(1_000 + SILENT_MS - 1) == ()
    (fault,) = pulse.faults(1_000 + SILENT_MS)
    assert (fault.code, fault.is_blocking) == ("engine_silent", True)


def test_any_answer_ends_the_silence() -> None:
    pulse = EngineLiveness()
    pulse.asked(0)
    pulse.answered()
    assert pulse.faults(10 * SILENT_MS) == ()


def test_engine_that_was_not_asked_is_not_silent() -> None:
    assert not EngineLiveness().is_silent(10 * SILENT_MS)
