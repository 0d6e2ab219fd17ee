"""When an engine counts as silent."""

from nodeagent.docker.engine.client import SILENT_MS, EngineLiveness


def test_first_unanswered_question_counts() -> None:
    pulse = EngineLiveness()
    pulse.note_request(1_000)
    pulse.note_request(9_000)
    assert pulse.report_faults(1_000 + SILENT_MS - 1) == ()
    (fault,) = pulse.report_faults(1_000 + SILENT_MS)
    assert (fault.code, fault.is_blocking) == ("engine_silent", True)


def test_any_answer_ends_the_silence() -> None:
    pulse = EngineLiveness()
    pulse.note_request(0)
    pulse.note_answer()
    assert pulse.report_faults(10 * SILENT_MS) == ()


def test_engine_that_was_not_asked_is_not_silent() -> None:
    assert not EngineLiveness().is_silent(10 * SILENT_MS)
