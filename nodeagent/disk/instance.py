"""Names this state directory, so that the portal tells it from a copy with the same identity in it."""

from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from nodeagent.disk.atomic_json import read_json, write_json


def name_instance(root: Path, path: Path) -> str:
    """Return the name of the state directory `root`, kept in `path`; a copy gets another one.

    A copy is known by what no copy has: the place of the directory itself in its file system.
    """
    facts = root.stat()
    place = {"device": facts.st_dev, "inode": facts.st_ino}
    content = read_json(path)
    if isinstance(content, dict) and content.get("place") == place and content.get("name"):
        return str(content["name"])
    name = token_hex(16)
    with suppress(OSError):  # on a full disk the next agent has another name, and waits a little
        write_json(path, {"name": name, "place": place})
    return name
