"""Learned run times: the narrowest resemblance that is known answers, with a middle value."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from scheduler.core.reservation.run_times import (
    RUNS_KEPT,
    JobTraits,
    RunTimePredictor,
    measure_accuracy,
)

TRAIN = JobTraits("vision", "li", 8, image="torch", command="a1")


def learned(*seconds: int, traits: JobTraits = TRAIN) -> RunTimePredictor:
    past = RunTimePredictor()
    for each in seconds:
        past.learn(traits, each)
    return past


def test_nothing_is_said_without_a_past() -> None:
    assert RunTimePredictor().predict(TRAIN) is None


def test_the_same_command_needs_one_run_only() -> None:
    found = learned(600).predict(TRAIN)

    assert found is not None
    assert (found.seconds, found.runs, found.level) == (600, 1, 0)


def test_one_run_that_hung_does_not_spoil_the_middle() -> None:
    found = learned(600, 610, 620, 630, 604_800).predict(TRAIN)

    assert found is not None
    assert found.seconds == 620


def test_a_new_command_is_like_its_users_others_when_there_are_enough() -> None:
    past = learned(100, 200, 300)
    past.learn(JobTraits("vision", "wang", 8, "torch", "b2"), 9000)

    found = past.predict(JobTraits("vision", "li", 8, "torch", "new"))

    assert found is not None
    assert (found.seconds, found.level) == (200, 1)


def test_a_stranger_is_like_everybody_of_his_size() -> None:
    past = learned(100, 200, 300)

    found = past.predict(JobTraits("speech", "zhao", 8))

    assert found is not None
    assert (found.seconds, found.level) == (200, 4)
    assert past.predict(JobTraits("speech", "zhao", 1)) is None


def test_work_that_outran_the_short_ones_is_compared_with_the_long_ones() -> None:
    past = learned(*[60] * 9, 5000, 6000, 7000)

    early, late, beyond = (past.predict(TRAIN, ran) for ran in (0, 3600, 8000))

    assert early is not None
    assert late is not None
    assert beyond is not None
    assert (early.seconds, late.seconds, beyond.seconds) == (60, 6000, 16000)


def test_old_runs_are_forgotten() -> None:
    past = learned(*[10] * RUNS_KEPT, *[1000] * RUNS_KEPT)

    found = past.predict(TRAIN)

    assert found is not None
    assert (found.seconds, found.runs) == (1000, RUNS_KEPT)


@given(st.randoms(use_true_random=False))
def test_asking_between_runs_changes_no_answer(chance: Random) -> None:
    past = RunTimePredictor()
    known: list[int] = []
    while len(known) < 3 * RUNS_KEPT:
        for _ in range(chance.choice((1, 2, 40))):
            known.append(chance.randint(1, 1000))
            past.learn(TRAIN, known[-1])
        ran_s = chance.randint(0, 900)
        longer = sorted(each for each in known[-RUNS_KEPT:] if each > ran_s)
        found = past.predict(TRAIN, ran_s)
        assert found is not None
        if longer:
            assert (found.seconds, found.runs) == (longer[len(longer) // 2], len(longer))


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=40))
def test_the_answer_is_one_of_the_runs_and_in_their_middle(seconds: list[int]) -> None:
    found = learned(*seconds).predict(TRAIN)

    assert found is not None
    assert found.seconds in seconds
    assert sum(each < found.seconds for each in seconds) <= len(seconds) // 2
    assert sum(each > found.seconds for each in seconds) <= len(seconds) // 2


def test_accuracy_counts_both_ways() -> None:
    judged = measure_accuracy([(100, 100), (100, 199), (100, 201), (100, 40)])

    assert judged.runs == 4
    assert judged.within_factor_two_percent == 50
    assert (judged.over_percent, judged.under_percent) == (25, 50)
    assert judged.median_error_percent == 49


def test_nothing_judged_is_nothing_claimed() -> None:
    assert measure_accuracy([]).runs == 0
