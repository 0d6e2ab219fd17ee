"""Reasons are worded with their amounts, in both languages, as the pages do it."""

import pytest

from portal.common.reason_text import translate_reason

QUOTA = {"group": "vision", "pool": "", "resource": "gpu"}


@pytest.mark.parametrize(
    ("code", "params", "english"),
    [
        (
            "never_fits",
            {"resource": "gpus", "requested": 9, "most": 1},
            (
                "It needs 9 GPUs on one node, and this pool can give 1 GPU on one node at most. "
                "Ask for less, or choose another pool."
            ),
        ),
        (
            "never_fits",
            {"resource": "memory", "requested": 1_048_576, "most": 512},
            (
                "It needs 1,024 GiB of memory, and this pool can give 512 MiB of memory at most. "
                "Ask for less, or choose another pool."
            ),
        ),
        (
            "quota_ceiling",
            {**QUOTA, "used": 1500, "requested": 1000, "limit": 2000},
            (
                "Group vision uses 1.5 of 2 GPUs, and this needs 1 GPU more. "
                "It starts when work of the group ends."
            ),
        ),
        (
            "quota_ceiling",
            {**QUOTA, "used": 0, "requested": 3000, "limit": 2000},
            "It needs 3 GPUs, and group vision may use 2 GPUs at most. Ask for less.",
        ),
        (
            "quota_budget",
            {
                "group": "vision",
                "pool": "",
                "used": 7200,
                "promised": 0,
                "requested": 5400,
                "limit": 9000,
            },
            (
                "Group vision has used 2 of 2.5 GPU-h in this period, 0 GPU-h more is promised to "
                "running work, and this may need 1.5 GPU-h. Shorten the time limit, or wait for the "
                "next period."
            ),
        ),
        (
            "no_budget",
            {"group": "vision", "pool": ""},
            (
                "The budget of group vision gives no GPU-hours. Ask its administrators for some, or "
                "choose another group."
            ),
        ),
        (
            "user_counter",
            {"counter": "running", "limit": 2, "used": 2},
            "You have 2 of the 2 running workloads that your group allows one member.",
        ),
        (
            "waiting_for_calendar",
            {"pool": "a100", "opens_at": 0},
            "Pool a100 lends no GPUs to such work now.",
        ),
    ],
)
def test_numbers_stand_with_their_units(code: str, params: dict[str, object], english: str) -> None:
    assert translate_reason("en", code, params) == english
    assert translate_reason("zh-CN", code, params) != english


def test_what_is_no_reason_has_no_sentence_here() -> None:
    assert translate_reason("en", "not_found", {}) is None


def test_missing_parameter_stays_visible() -> None:
    assert translate_reason("en", "no_matching_model", {}) == (
        "No GPU of the model {model} belongs to this pool."
    )
