"""Which saves of images this node has begun, on disk: a new agent neither repeats nor forgets one."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from nodeagent.core.image_saves import BegunSave
from nodeagent.disk.atomic_json import read_json, write_json

_saves = TypeAdapter(dict[str, BegunSave])


class BegunSavesFile:
    """A small file, replaced as a whole."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> dict[str, BegunSave]:
        """Return what was saved last; empty when there is nothing, or nothing readable."""
        try:
            return _saves.validate_python(read_json(self._path) or {})
        except ValidationError:
            return {}

    def save(self, begun: Mapping[str, BegunSave]) -> None:
        """Save this; returns when it is on the disk."""
        content = _saves.dump_python(dict(begun), mode="json")
        write_json(self._path, content, is_durable=True)
