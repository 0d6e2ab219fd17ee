"""The indexes of a job array, as Slurm writes them: `0-9999%50`, `1,3,5-7`, `0-15:4`."""

import re
from dataclasses import dataclass
from itertools import chain
from typing import Final

from rest_framework.exceptions import ValidationError

from portal.common.rest.serializers import FieldFault

ARRAY_TASKS_MAX: Final = 10_000
"""Tasks of one job array."""
ARRAY_INDEX_MAX: Final = 4_000_000
"""Greatest index of a task."""
ARRAY_TEXT_MAX: Final = 255
"""Characters that name the indexes of an array."""
_PART: Final = re.compile(r"(\d{1,7})(?:-(\d{1,7})(?::(\d{1,7}))?)?", re.ASCII)
_LIMIT: Final = re.compile(r"\d{1,5}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ArrayIndexes:
    """The tasks of an array, and how many of them may run at once."""

    text: str
    """Without the limit."""
    indexes: tuple[int, ...]
    """Rising, each once."""
    running_max: int | None


def parse_array_indexes(text: str) -> ArrayIndexes:
    """Return the indexes that a text names.

    Raises:
        ValidationError: it is malformed, or names too many or too great indexes.
    """
    named, separator, limit = text.replace(" ", "").partition("%")
    if len(text) > ARRAY_TEXT_MAX or (separator and not _LIMIT.fullmatch(limit)):
        raise ValidationError([FieldFault("array_malformed")])
    running_max = int(limit) if separator else None
    if running_max == 0:
        raise ValidationError([FieldFault("array_malformed")])
    ranges = [_parse_range(part) for part in named.split(",")]
    if sum(map(len, ranges)) > ARRAY_TASKS_MAX:
        raise ValidationError([FieldFault("array_too_large", max=ARRAY_TASKS_MAX)])
    return ArrayIndexes(named, tuple(sorted(set(chain.from_iterable(ranges)))), running_max)


def _parse_range(part: str) -> range:
    found = _PART.fullmatch(part)
    if found is None:
        raise ValidationError([FieldFault("array_malformed")])
    first = int(found[1])
    last = int(found[2]) if found[2] is not None else first
    step = int(found[3]) if found[3] is not None else 1
    if last < first or step == 0:
        raise ValidationError([FieldFault("array_malformed")])
    if last > ARRAY_INDEX_MAX:
        raise ValidationError([FieldFault("array_index_too_large", max=ARRAY_INDEX_MAX)])
    return range(first, last + 1, step)
