"""Reasons in the order of what the user must change first, and until when they hold."""

import pytest

from scheduler.core.model.reasons import Reason, ReasonCode, held_until, sort_by_severity

BEGIN = Reason(ReasonCode.WAITING_FOR_BEGIN_TIME, {"begins_at": 100})
RETRY = Reason(ReasonCode.WAITING_TO_RETRY, {"retry_at": 200})
HELD = Reason(ReasonCode.HELD_BY_USER)

UNTIL: dict[str, tuple[tuple[Reason, ...], int | None]] = {
    "nothing holds": ((), None),
    "to the begin": ((BEGIN,), 100),
    "to the retry": ((RETRY,), 200),
    "to the last of both": ((RETRY, BEGIN), 200),
    "to no known time": ((HELD,), None),
    "to no known time although one has an end": ((BEGIN, HELD), None),
}


@pytest.mark.parametrize("row", UNTIL.values(), ids=UNTIL)
def test_until_when_reasons_hold(row: tuple[tuple[Reason, ...], int | None]) -> None:
    reasons, until = row

    assert held_until(reasons) == until


def test_the_hardest_reason_comes_first_and_equal_ones_keep_their_order() -> None:
    hard = Reason(ReasonCode.NEVER_FITS)
    one = Reason(ReasonCode.QUOTA_CEILING, {"group": "lab"})
    other = Reason(ReasonCode.QUOTA_CEILING, {"group": "dept"})

    assert sort_by_severity((one, RETRY, other, hard)) == (hard, one, other, RETRY)
    assert sort_by_severity((RETRY, hard)) == (hard, RETRY)
    assert sort_by_severity((RETRY,)) == (RETRY,)
