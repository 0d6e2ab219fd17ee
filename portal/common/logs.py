"""Structured logging: one line per event, with the request and actor that it belongs to."""

from typing import Any, Final

import structlog

VALUE_MAX: Final = 1000
"""Characters of one value of a line: an address that a client made up may have thousands."""
TRACE_MAX: Final = 16 * 1024
"""Characters of a traceback; its end, which says what went wrong, is kept."""
_TRACES: Final = frozenset({"exception", "stack"})

_SHARED: tuple[structlog.typing.Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
    structlog.processors.format_exc_info,
)


def configure_logging(*, as_json: bool, level: str = "INFO") -> dict[str, Any]:
    """Set structlog up and return the matching `LOGGING` dictionary of the standard library."""
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if as_json
        else structlog.dev.ConsoleRenderer(colors=False)
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": list(_SHARED),
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    _cut_values,
                    renderer,
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Refused requests are no faults, and `request.done` already logs their status.
            "django.request": {"level": "ERROR"},
            # Would log the whole address of every WebSocket, with what its query holds.
            "uvicorn.error": {"level": "WARNING"},
        },
    }


def _cut_values(_logger: Any, _name: str, event: structlog.typing.EventDict) -> Any:
    """Cut what is too long, from any caller."""
    for name, value in event.items():
        if not isinstance(value, str):
            continue
        if name in _TRACES:
            event[name] = value[-TRACE_MAX:]
        elif len(value) > VALUE_MAX:
            event[name] = f"{value[:VALUE_MAX]}… ({len(value)} characters)"
    return event
