"""On which nodes a version may be, by what they report of their `datasets_dir`; pure."""

from collections.abc import Collection


def may_have(folders: Collection[str] | None, path: str) -> bool:
    """Return whether a node may have the folder of a version.

    A node reports its first folders, and as `first/second` those in them, as far as there is room: of a
    first folder without any such entry nothing more is known. None is a node of which nothing is known.
    """
    if folders is None:
        return True
    first, _, rest = path.partition("/")
    if first not in folders:
        return False
    second = rest.partition("/")[0]
    if not second or f"{first}/{second}" in folders:
        return True
    return not any(item.startswith(f"{first}/") for item in folders)
