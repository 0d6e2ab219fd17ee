"""F28, F30 to F32: when a card may be trusted; time is a number here."""

from dataclasses import replace

import pytest

from nodeagent.gpu.health.evaluation import (
    THRESHOLDS,
    CardObservation,
    CardState,
    HealthThresholds,
    evaluate_health,
)
from nodeagent.gpu.health.xids import XidClass, classify_xid
from wire.facts import AcceleratorHealth as H

FINE = CardObservation(H.OK, memory_mib=81559, memory_used_mib=4, is_used=False)


def after(*steps: tuple[int, CardObservation], limits: HealthThresholds = THRESHOLDS) -> CardState:
    """Return what is known after looks at given times, in seconds."""
    known = CardState()
    for at_s, seen in steps:
        known = evaluate_health(known, seen, at_s * 1000, limits)
    return known


def verdict(known: CardState) -> tuple[str, str]:
    return known.health.value, known.fault


@pytest.mark.parametrize("code", [79])
def test_f30_lost_by_xid_is_gone_until_a_reboot(code: int) -> None:
    known = after((0, replace(FINE, xids=(code,))), (5, FINE), (90_000, FINE))
    assert verdict(known) == ("gone", f"xid_{code}")


@pytest.mark.parametrize("code", [46, 48, 64, 74, 95, 119, 120, 143, 150])
def test_f31_broken_by_xid_is_bad_until_a_reboot(code: int) -> None:
    known = after((0, replace(FINE, xids=(code,))), (90_000, FINE))
    assert verdict(known) == ("bad", f"xid_{code}")


@pytest.mark.parametrize("code", [13, 31, 43, 45, 63, 92, 94, 149, 154, 9999])
def test_f32_told_xids_are_counted_and_the_card_stays(code: int) -> None:
    known = after((0, replace(FINE, xids=(code, code))), (5, FINE))
    assert verdict(known) == ("ok", "")
    assert known.xid_counts == {code: 2}
    assert classify_xid(code) is XidClass.REPORTED


def test_too_many_told_xids_make_a_card_bad_until_they_are_old() -> None:
    limits = HealthThresholds(xids_max=3, xid_window_ms=60_000)
    storm = [(at, replace(FINE, xids=(31,))) for at in range(4)]
    assert verdict(after(*storm[:3], limits=limits)) == ("ok", "")
    assert verdict(after(*storm, limits=limits)) == ("bad", "xid_rate")
    assert verdict(after(*storm, (70, FINE), limits=limits)) == ("ok", "")
    assert len(after((0, replace(FINE, xids=(31,) * 500))).xid_times) == THRESHOLDS.xids_max + 1


def test_a_lost_card_stays_lost_when_it_was_broken_before() -> None:
    known = after((0, replace(FINE, xids=(48,))), (1, replace(FINE, xids=(79, 48))))
    assert verdict(known) == ("gone", "xid_79")


def test_what_the_driver_says_counts_as_long_as_it_says_so() -> None:
    lost = CardObservation(H.GONE, "gpu_lost")
    silent = CardObservation(H.BAD, "nvml_hangs")
    assert verdict(after((0, lost))) == ("gone", "gpu_lost")
    assert verdict(after((0, lost), (5, FINE))) == ("ok", "")
    assert verdict(after((0, silent))) == ("bad", "nvml_hangs")
    assert verdict(after((0, silent), (5, FINE))) == ("ok", "")


def test_counters_of_the_card_make_it_bad() -> None:
    assert verdict(after((0, replace(FINE, has_remap_failed=True)))) == ("bad", "row_remap_failed")
    assert verdict(after((0, replace(FINE, ecc_uncorrected=1)))) == ("bad", "ecc_uncorrected")


def test_c8_every_failure_of_a_card_has_its_answer() -> None:
    """The table of faults, as one: who is taken out of service, and who is only told of."""
    xids = {
        **dict.fromkeys((79,), "gone"),
        **dict.fromkeys((48, 64, 74, 95, 119), "bad"),
        **dict.fromkeys((13, 31, 43, 45, 63, 94), "ok"),
    }
    answers = {code: verdict(after((0, replace(FINE, xids=(code,)))))[0] for code in xids}
    assert answers == xids
    looks = {
        CardObservation(H.GONE, "gpu_lost"): ("gone", "gpu_lost"),
        CardObservation(H.GONE, "gpu_missing"): ("gone", "gpu_missing"),
        CardObservation(H.BAD, "nvml_hangs"): ("bad", "nvml_hangs"),
        CardObservation(H.BAD, "reset_required"): ("bad", "reset_required"),
        replace(FINE, has_remap_failed=True): ("bad", "row_remap_failed"),
        replace(FINE, ecc_uncorrected=1): ("bad", "ecc_uncorrected"),
        FINE: ("ok", ""),
    }
    assert {seen: verdict(after((0, seen))) for seen in looks} == looks
    # One failure hides no worse one, and no better one heals it.
    assert verdict(after((0, replace(FINE, xids=(13, 48, 79))), (1, FINE))) == ("gone", "xid_79")


FOREIGN = replace(FINE, foreign_pids=(4711,), is_used=True)


def test_f28_a_stranger_must_last_and_leaves_the_card_clean_again() -> None:
    assert verdict(after((0, FOREIGN))) == ("ok", "")
    assert verdict(after((0, FOREIGN), (2, FINE), (4, FOREIGN))) == ("ok", "")
    dirty = [(0, FOREIGN), (5, FOREIGN)]
    assert verdict(after(*dirty)) == ("dirty", "foreign_process")
    assert verdict(after(*dirty, (10, FINE))) == ("dirty", "foreign_process")
    assert verdict(after(*dirty, (10, FINE), (15, FINE))) == ("ok", "")
    assert verdict(after(*dirty, (10, FINE), (12, FOREIGN), (15, FINE))) == (
        "dirty",
        "foreign_process",
    )


def test_a_stranger_beside_a_tenant_makes_the_card_dirty_too() -> None:
    seen = replace(FOREIGN, is_held=True)
    assert verdict(after((0, seen), (5, seen))) == ("dirty", "foreign_process")


FULL = replace(FINE, memory_used_mib=20_000)


def test_memory_that_nobody_gave_back_makes_the_card_dirty_until_it_is_free() -> None:
    dirty = [(0, FULL), (10, FULL), (16, FULL)]
    assert verdict(after(*dirty[:2])) == ("ok", "")
    assert verdict(after(*dirty)) == ("dirty", "memory_not_returned")
    assert verdict(after(*dirty, (20, FINE), (25, FINE))) == ("ok", "")


@pytest.mark.parametrize(
    "seen",
    [
        replace(FULL, is_held=True),
        replace(FULL, is_used=True),
        replace(FINE, memory_used_mib=1600),
        replace(FINE, memory_used_mib=None),
        replace(FINE, memory_mib=16_384, memory_used_mib=1000),
    ],
)
def test_memory_that_is_explained_is_no_fault(seen: CardObservation) -> None:
    assert verdict(after((0, seen), (100, seen))) == ("ok", "")


def test_a_card_that_does_not_tell_who_is_on_it_is_judged_by_its_memory() -> None:
    seen = replace(FULL, is_used=None)
    assert verdict(after((0, seen), (100, seen))) == ("dirty", "memory_not_returned")


def test_dirt_is_not_forgotten_while_the_card_is_silent() -> None:
    silent = CardObservation(H.BAD, "nvml_hangs")
    known = after((0, FOREIGN), (5, FOREIGN), (10, silent), (15, FOREIGN))
    assert verdict(known) == ("dirty", "foreign_process")
