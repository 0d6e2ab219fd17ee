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
                "Needs 9 GPUs on one node; this pool can give 1 GPU on one node at most. "
                "Request less or choose another pool."
            ),
        ),
        (
            "never_fits",
            {"resource": "memory", "requested": 1_048_576, "most": 512},
            (
                "Needs 1,024 GiB of memory; this pool can give 512 MiB of memory at most. "
                "Request less or choose another pool."
            ),
        ),
        (
            "quota_ceiling",
            {**QUOTA, "used": 1500, "requested": 1000, "limit": 2000},
            (
                "Group vision uses 1.5 of 2 GPUs; this needs 1 GPU more. "
                "It starts when other work of the group ends."
            ),
        ),
        (
            "quota_ceiling",
            {**QUOTA, "used": 0, "requested": 3000, "limit": 2000},
            "Needs 3 GPUs; group vision may use 2 GPUs at most. Request less.",
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
                "Group vision has used 2 of 2.5 GPU-h in this period, and running work may use "
                "0 GPU-h more; this may need 1.5 GPU-h. Shorten the time limit, or wait until the "
                "rest of this period is short enough, or the next begins."
            ),
        ),
        (
            "no_budget",
            {"group": "vision", "pool": ""},
            (
                "The budget of group vision is zero. Ask a platform admin for some or choose "
                "another group."
            ),
        ),
        (
            "never_fits_budget",
            {"group": "vision", "pool": "", "requested": 691_200, "limit": 3600},
            (
                "This may use 192 GPU-h. The budget of group vision is 1 GPU-h in each period and "
                "lasts for no such work: ask for fewer GPUs or a shorter time limit, or a platform "
                "admin for a larger budget."
            ),
        ),
        (
            "fragmented",
            {"resource": "share", "requested": 250, "largest": 125},
            "Needs 25 % of a GPU. Enough is free in total, but at most 12.5 % of a GPU.",
        ),
        (
            "user_counter",
            {"counter": "running", "limit": 2, "used": 2},
            "You have 2 of the 2 running workloads that your group allows per member.",
        ),
        (
            "no_matching_model",
            {"pool": "a100", "model": "H100 + fp8", "installed": 4},
            (
                "Every GPU of pool a100 that fits (H100 + fp8) is out of service: 4 of them. "
                "It starts when they are back."
            ),
        ),
        (
            "protected_run_time",
            {"workloads": 2, "protected_s": 5400, "ends_at": 1_795_403_640_000},
            (
                "Running work (2) could be preempted for it, but is protected until "
                "2026-11-23 03:14 UTC (minimum run time: 1 h 30 min)."
            ),
        ),
        (
            "waiting_for_calendar",
            {"pool": "a100", "opens_at": 0},
            "Pool a100 lends no GPUs to this work.",
        ),
    ],
)
def test_numbers_stand_with_their_units(code: str, params: dict[str, object], english: str) -> None:
    assert translate_reason("en", code, params) == english
    assert translate_reason("zh-CN", code, params) != english


MODEL = {**QUOTA, "model": "Trial 48GB"}


@pytest.mark.parametrize(
    ("code", "numbers", "english", "chinese"),
    [
        (
            "quota_ceiling",
            (0, 5000, 4000),
            "Needs 5 GPUs; group vision may use 4 GPUs of Trial 48GB at most. Request less.",
            "需要 5 张卡，而用户组 vision 最多只能使用 4 张卡（Trial 48GB）。请减少申请。",
        ),
        (
            "quota_ceiling",
            (500, 750, 1000),
            (
                "Group vision uses 0.5 of 1 GPU of Trial 48GB; this needs 0.75 GPUs more. "
                "It starts when other work of the group ends."
            ),
            (
                "用户组 vision 已用 0.5，上限 1 张卡（Trial 48GB），此次还需 0.75 张卡。"
                "组内有工作结束后即可启动。"
            ),
        ),
        (
            "quota_user_ceiling",
            (0, 5000, 4000),
            (
                "Needs 5 GPUs; one member of vision may hold 4 GPUs of Trial 48GB at most. "
                "Request less."
            ),
            "需要 5 张卡，而用户组 vision 的每位成员最多占用 4 张卡（Trial 48GB）。请减少申请。",
        ),
        (
            "quota_user_ceiling",
            (4000, 1000, 4000),
            (
                "You use 4 of the 4 GPUs of Trial 48GB that one member of vision may hold; "
                "this needs 1 GPU more. Stop some of your work or request less."
            ),
            (
                "用户组 vision 的每位成员最多占用 4 张卡（Trial 48GB），您已用 4，此次还需 1 张卡。"
                "请先停止自己的部分工作，或减少申请。"
            ),
        ),
    ],
)
def test_a_limit_on_one_model_says_which(
    code: str, numbers: tuple[int, int, int], english: str, chinese: str
) -> None:
    params = {**MODEL, **dict(zip(("used", "requested", "limit"), numbers, strict=True))}

    assert translate_reason("en", code, params) == english
    assert translate_reason("zh-CN", code, params) == chinese


def test_what_is_no_reason_has_no_sentence_here() -> None:
    assert translate_reason("en", "not_found", {}) is None


def test_missing_parameter_stays_visible() -> None:
    assert translate_reason("en", "no_matching_model", {"installed": 0}) == (
        "Pool {pool} has no GPU that fits ({model}). Choose other GPUs or another pool."
    )
