"""Lines of the log are of bounded length, whatever a client has sent and whoever logs it."""

import json
import logging
from collections.abc import Iterator
from io import StringIO
from logging.config import dictConfig
from typing import Any

import pytest
import structlog

from portal.common.logs import TRACE_MAX, VALUE_MAX, configure_logging

LONG = "/api/" + "x" * 3000


@pytest.fixture
def written() -> Iterator[StringIO]:
    """Log as the product does, into a text, and leave the loggers of the tests as they were."""
    root, known = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers[:], root.level
    text = StringIO()
    dictConfig({**configure_logging(as_json=True), "disable_existing_loggers": False})
    stream: Any = root.handlers[-1]
    stream.setStream(text)
    yield text
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**known)


def _lines(written: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.getvalue().splitlines()]


def test_an_address_of_a_client_is_cut(written: StringIO) -> None:
    structlog.get_logger("own").info("request.done", path=LONG, status=404)
    logging.getLogger("another").warning("Not Found: %s", LONG)
    own, another = _lines(written)
    assert own["path"] == f"{LONG[:VALUE_MAX]}… ({len(LONG)} characters)"
    assert (own["status"], own["event"]) == (404, "request.done")
    assert another["event"].startswith("Not Found: /api/x")
    assert max(map(len, written.getvalue().splitlines())) < 2 * VALUE_MAX


def test_a_traceback_keeps_its_end(written: StringIO) -> None:
    def fail(depth: int) -> None:
        if depth:
            fail(depth - 1)
        raise LookupError(LONG[:100])

    try:
        fail(500)
    except LookupError:
        logging.getLogger("another").exception("failed")
    (line,) = _lines(written)
    assert len(line["exception"]) <= TRACE_MAX
    assert line["exception"].endswith(LONG[:100])
