"""The sentence of a reason: one catalogue for problem documents and, generated from it, for pages.

`reason.<code>` stands in the catalogue, `reason.<code>_never` where no waiting helps; amounts are
written with their unit by `amount.<resource>`, a limit on one model of GPUs with it. The pages write numbers by the same rules
(`frontend/src/shared/workload/model/reasons.ts`).
"""

from collections.abc import Mapping
from typing import Final

from portal.common.translations import (
    Visible,
    format_duration,
    format_memory,
    format_moment,
    load_messages,
)

_WITH_UNIT: Final = {"requested", "limit", "most", "free", "largest", "promised"}
"""Parameters that count the resource named by `resource`, and say it."""
_OF_MODEL: Final = "limit"
"""The parameter that is said with the model of GPUs, if the reason names one."""
_WITHOUT_UNIT: Final = {"used"}
_MILLI: Final = {"gpu", "cpu"}
_MIB: Final = {"gpu_memory", "memory"}
_GPU_SECONDS: Final = "gpu_s"
"""What budgets count; they name no resource."""
_OF_BUDGETS: Final = {"quota_budget", "never_fits_budget"}
_OF_ONE_MORE: Final = {"quota_ceiling", "quota_user_ceiling"}


def translate_reason(language: str, code: str, params: Mapping[str, object]) -> str | None:
    """Return the sentence of a reason, or None when the code is none."""
    sentences = load_messages(language)
    pattern = sentences.get(f"reason.{_variant(code, params)}")
    if pattern is None:
        return None
    united = {"resource": _GPU_SECONDS, **params} if code in _OF_BUDGETS else params
    shown = {
        name: _moment_or_length(language, name, value) or _in_words(sentences, united, name, value)
        for name, value in united.items()
    }
    return pattern.format_map(Visible(shown))


def _variant(code: str, params: Mapping[str, object]) -> str:
    """Return under which name a reason is worded: what can never come true has a sentence of its own."""
    if code == "waiting_for_calendar" and params.get("opens_at") == 0:
        return f"{code}_never"
    if code == "reserved" and params.get("reservation"):
        return f"{code}_own"
    if code == "no_matching_model" and params.get("installed") == 0:
        return f"{code}_never"
    requested, limit = params.get("requested"), params.get("limit")
    is_hopeless = isinstance(requested, int) and isinstance(limit, int) and requested > limit
    return f"{code}_never" if code in _OF_ONE_MORE and is_hopeless else code


def _moment_or_length(language: str, name: str, value: object) -> str | None:
    """Return milliseconds as a moment and seconds as a duration; None for other parameters."""
    if isinstance(value, int) and name.endswith("_at"):
        return format_moment(value)
    if isinstance(value, int) and name.endswith("_s"):
        return format_duration(value, language)
    return None


def _in_words(
    sentences: Mapping[str, str], params: Mapping[str, object], name: str, value: object
) -> str:
    if name == "counter":
        return sentences.get(f"counter.{value}", str(value))
    resource = str(params.get("resource", ""))
    if not isinstance(value, int) or not resource or name not in _WITH_UNIT | _WITHOUT_UNIT:
        return _number(value, 1) if isinstance(value, int) else str(value)
    is_one, amount = _amount(resource, value)
    if name not in _WITH_UNIT:
        return amount
    said = sentences.get(f"amount.{resource}") or sentences.get(
        f"amount.{resource}_{'one' if is_one else 'other'}", "{amount}"
    )
    said = said.format(amount=amount)
    model = params.get("model") if name == _OF_MODEL else None
    return sentences["amount.of_model"].format(amount=said, model=model) if model else said


def _amount(resource: str, value: int) -> tuple[bool, str]:
    """Return whether it is exactly one, and the number as it is written."""
    if resource == _GPU_SECONDS:
        return value == 3600, _number(value / 3600, 1)
    if resource in _MILLI:
        return value == 1000, _number(value / 1000, 3)
    if resource == "share":
        return False, _number(value / 10, 1)  # thousandths of a GPU are written in per cent
    return value == 1, format_memory(value) if resource in _MIB else _number(value, 1)


def _number(value: float, digits: int) -> str:
    """Write a number with at most so many digits behind the point."""
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
