"""Which end is repeated, and when: the whole table."""

import pytest

from portal.workloads.retry import (
    INFRASTRUCTURE_CAUSES,
    PAUSE_S_MAX,
    STARTS_MAX,
    AttemptHistory,
    RestartRule,
    Retry,
    RetryDecision,
    RetryPolicy,
    decide_retry,
    encode_restart_policy,
    parse_restart_policy,
)

NEVER = RetryPolicy(RestartRule.NEVER, retries_max=3, free_codes=frozenset({75}))
INFRASTRUCTURE = RetryPolicy(
    RestartRule.ON_INFRASTRUCTURE, final_codes=frozenset({2}), free_codes=frozenset({75})
)
FAILURE = RetryPolicy(
    RestartRule.ON_FAILURE,
    retries_max=3,
    pause_s=10,
    final_codes=frozenset({2}),
    free_codes=frozenset({75}),
)
OOM = RetryPolicy(RestartRule.ON_FAILURE, retries_max=3, after_out_of_memory=True)

FREE, COUNTED, FINAL = Retry.FREE, Retry.COUNTED, Retry.FINAL


@pytest.mark.parametrize(
    ("cause", "code", "never", "infrastructure", "failure"),
    [
        ("node_lost", None, FINAL, FREE, FREE),
        ("device_lost", 1, FINAL, FREE, FREE),
        ("node_fault", None, FINAL, FREE, FREE),
        ("node_rebooted", None, FINAL, FREE, FREE),
        ("lease_ended", 137, FINAL, FREE, FREE),
        ("exited", 1, FINAL, FINAL, COUNTED),
        ("exited", 2, FINAL, FINAL, FINAL),
        ("exited", 75, FINAL, FREE, FREE),
        ("killed", 137, FINAL, FINAL, COUNTED),
        ("killed", 2, FINAL, FINAL, FINAL),
        ("out_of_memory", 137, FINAL, FINAL, FINAL),
        ("gpu_memory_exceeded", None, FINAL, FINAL, FINAL),
        ("out_of_memory", 75, FINAL, FINAL, FINAL),
        ("start_failed", None, FINAL, FINAL, COUNTED),
        ("image_unavailable", None, FINAL, FINAL, COUNTED),
        ("disk_full", 1, FINAL, FINAL, COUNTED),
    ],
)
def test_an_end_means_by_its_cause(
    cause: str, code: int | None, never: Retry, infrastructure: Retry, failure: Retry
) -> None:
    found = [
        decide_retry(rule, AttemptHistory(), cause, code).retry
        for rule in (NEVER, INFRASTRUCTURE, FAILURE)
    ]

    assert found == [never, infrastructure, failure]


def test_every_fault_of_the_platform_is_free_however_often() -> None:
    past = AttemptHistory(retries=3, starts=99)

    found = {decide_retry(FAILURE, past, cause) for cause in INFRASTRUCTURE_CAUSES}

    assert found == {RetryDecision(Retry.FREE, 0)}


def test_counted_repetitions_end_and_their_pause_doubles() -> None:
    verdicts = [
        decide_retry(FAILURE, AttemptHistory(used, used + 1), "exited", 1) for used in range(4)
    ]

    assert [(item.retry, item.pause_s) for item in verdicts] == [
        (COUNTED, 10),
        (COUNTED, 20),
        (COUNTED, 40),
        (FINAL, 0),
    ]
    patient = RetryPolicy(RestartRule.ON_FAILURE, retries_max=10**6, pause_s=3000)
    assert decide_retry(patient, AttemptHistory(retries=10**5), "exited", 1).pause_s == PAUSE_S_MAX


def test_a_free_exit_code_pauses_each_time_alike() -> None:
    found = [decide_retry(FAILURE, AttemptHistory(retries=used), "exited", 75) for used in (0, 3)]

    assert found == [RetryDecision(Retry.FREE, 10)] * 2


def test_nothing_is_repeated_for_ever() -> None:
    past = AttemptHistory(starts=STARTS_MAX)

    assert decide_retry(FAILURE, past, "exited", 75).retry is FINAL
    assert decide_retry(FAILURE, past, "node_lost").retry is FINAL


def test_the_same_memory_is_tried_again_only_if_the_job_asks_for_it() -> None:
    assert decide_retry(OOM, AttemptHistory(), "out_of_memory", 137).retry is COUNTED
    assert decide_retry(OOM, AttemptHistory(retries=3), "out_of_memory", 137).retry is FINAL


def test_a_job_that_names_no_rule_has_one_all_the_same() -> None:
    assert parse_restart_policy({}, 0).rule is RestartRule.ON_INFRASTRUCTURE
    assert parse_restart_policy({}, 2) == RetryPolicy(RestartRule.ON_FAILURE, retries_max=2)
    stored = {"rule": "on_failure", "final_codes": [3, 2]}
    assert encode_restart_policy(parse_restart_policy(stored, 1)) == {
        "rule": "on_failure",
        "pause_s": 0,
        "final_codes": [2, 3],
        "free_codes": [],
        "after_out_of_memory": False,
    }
