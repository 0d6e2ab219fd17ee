import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ValidationError

from portal.workloads.submission.array_indexes import (
    ARRAY_INDEX_MAX,
    ARRAY_TASKS_MAX,
    parse_array_indexes,
)


def faults_of(error: ValidationError) -> list[str]:
    codes = error.get_codes()
    return [str(code) for code in codes] if isinstance(codes, list) else []


@pytest.mark.parametrize(
    ("text", "indexes", "running_max"),
    [
        ("0", (0,), None),
        ("0-4", (0, 1, 2, 3, 4), None),
        ("0-9%3", tuple(range(10)), 3),
        ("1,3,5-7", (1, 3, 5, 6, 7), None),
        ("0-15:4", (0, 4, 8, 12), None),
        ("5-7, 6, 1 %2", (1, 5, 6, 7), 2),
        ("4000000", (ARRAY_INDEX_MAX,), None),
    ],
)
def test_indexes_are_named_as_in_slurm(
    text: str, indexes: tuple[int, ...], running_max: int | None
) -> None:
    found = parse_array_indexes(text)

    assert (found.indexes, found.running_max) == (indexes, running_max)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *((text, "array_malformed") for text in ("", "a", "1-", "-1", "5-3", "1-5:0", "1,,2")),
        *((text, "array_malformed") for text in ("0-9%", "0-9%0", "0-9%x", "٣", "1" * 300)),
        ("0-10000", "array_too_large"),
        ("0-9999,0-9999", "array_too_large"),
        ("4000001", "array_index_too_large"),
    ],
)
def test_anything_else_is_refused(text: str, code: str) -> None:
    with pytest.raises(ValidationError) as refused:
        parse_array_indexes(text)

    assert faults_of(refused.value) == [code]


@given(st.text(alphabet="0123456789-:,%x ", max_size=40))
def test_no_text_names_more_than_is_allowed(text: str) -> None:
    try:
        found = parse_array_indexes(text)
    except ValidationError:
        return
    assert 1 <= len(found.indexes) <= ARRAY_TASKS_MAX
    assert list(found.indexes) == sorted(set(found.indexes))
    assert found.indexes[-1] <= ARRAY_INDEX_MAX
    assert found.running_max is None or found.running_max >= 1
