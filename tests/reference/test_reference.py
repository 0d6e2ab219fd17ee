"""The pages of reference are what the code says, and the code says what each limit limits."""

import re
from collections import Counter
from typing import Final

from portal.common.translations import load_messages
from scheduler.core.model.reasons import ReasonCode
from tests.architecture.sources import ROOT
from tests.reference import limits, refusals
from tests.reference.written import written

OWN_MATTERS: Final = {
    "CONNECT_S",
    "IDLE_S",
    "KNOWN_MAX",
    "PIECE_MAX",
    "POLL_S",
    "RECHECK_S",
    "ROWS_MAX",
    "SEND_TIMEOUT_S",
    "USE_RECORDED_EVERY",
}
"""Names of things that are no more than alike."""


def test_written_files_are_fresh() -> None:
    stale = [
        str(path.relative_to(ROOT))
        for path, text in written().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]

    assert stale == [], "run `make reference`"


def test_every_limit_says_what_it_limits() -> None:
    silent = [f"{limit.module}.{limit.name}" for limit in limits.limits() if not limit.about]

    assert silent == []


def test_no_limit_has_two_homes() -> None:
    """One name and one value in two modules: then one of them should be imported."""
    homes = Counter((limit.name, str(limit.value)) for limit in limits.limits())

    assert {name for (name, _), number in homes.items() if number > 1} <= OWN_MATTERS


def test_every_code_has_a_row_and_says_where_it_is_raised() -> None:
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|([^|]*)\|", refusals.page(), re.MULTILINE)
    raised = {code for code, _, where in rows if where.strip()}
    codes = {code for code in load_messages("en") if "." not in code}

    assert codes - raised == set()
    assert {code.value for code in ReasonCode} - raised == set()


def test_every_refusal_of_a_request_has_a_status() -> None:
    part = refusals.page().split("## Reasons")[0]
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|", part, re.MULTILINE)

    assert {code for code, status in rows if not status.strip()} == {
        code for code in load_messages("en") if code in refusals.IN_A_TERMINAL | refusals.OF_SERVERS
    }
