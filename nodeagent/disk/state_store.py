"""What must survive the agent, in one file."""

from pathlib import Path

import structlog
from pydantic import TypeAdapter, ValidationError

from nodeagent.core.state import Durable
from nodeagent.disk.atomic import read_json, write_json

log = structlog.get_logger()
_durable = TypeAdapter(Durable)


class FileStateStore:
    """The `StateStore` port on a local disk."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Durable | None:
        """Return what was saved last; None when there is nothing, or nothing readable."""
        content = read_json(self._path)
        try:
            return None if content is None else _durable.validate_python(content)
        except ValidationError as error:
            log.warning("state.unreadable", path=str(self._path), faults=error.error_count())
            return None

    def save(self, durable: Durable) -> None:
        """Keep this from now on; returns when it is on the disk."""
        write_json(self._path, _durable.dump_python(durable, mode="json"), is_durable=True)
