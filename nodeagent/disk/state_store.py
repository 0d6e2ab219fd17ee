"""What must survive the agent, in one file with a checksum."""

import hashlib
import json
from pathlib import Path
from typing import Any

import structlog
from pydantic import TypeAdapter, ValidationError

from nodeagent.core.state import DurableState
from nodeagent.disk.atomic_json import read_json, write_json

log = structlog.get_logger()
_durable = TypeAdapter(DurableState)


class FileStateStore:
    """The `StateStore` port on a local disk."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> DurableState | None:
        """Return what was saved last; None when there is nothing, or nothing readable."""
        if not self._path.exists():
            return None
        content = read_json(self._path)
        if not isinstance(content, dict) or content.get("digest") != _digest(
            content.get("durable")
        ):
            log.warning("state.unreadable", path=str(self._path))
            return None
        try:
            return _durable.validate_python(content["durable"])
        except ValidationError as error:
            log.warning("state.unreadable", path=str(self._path), faults=error.error_count())
            return None

    def save(self, durable: DurableState) -> None:
        """Save this; returns when it is on the disk."""
        content = _durable.dump_python(durable, mode="json")
        whole = {"durable": content, "digest": _digest(content)}
        write_json(self._path, whole, is_durable=True)


def _digest(content: Any) -> str:
    """Return the checksum of the content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
