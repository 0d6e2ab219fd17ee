"""What an engine says of an image that it has; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class ImageCopy:
    """An image on this node."""

    reference: str
    digest: str
    """Of its manifest, as its registry names it; empty for one that came by hand."""
    size_bytes: int
    """Unpacked."""
    layers: int
    since: int
    """When it came, in wall time; 0 is unknown."""
    used_at: int
    """When a container was last made from it; 0 is never, or unknown."""


def describe_copy(
    reference: str, attrs: Mapping[str, Any], pulled_at: int, used_at: int
) -> ImageCopy:
    """Return an image as it is reported, from what the engine's inspection returns.

    When it came is what the agent has noted, else what the engine says of its tag.
    """
    tagged = str((attrs.get("Metadata") or {}).get("LastTagTime") or "")
    return ImageCopy(
        reference=reference,
        digest=_digest(reference, attrs.get("RepoDigests") or []),
        size_bytes=int(attrs.get("Size") or 0),
        layers=len((attrs.get("RootFS") or {}).get("Layers") or []),
        since=pulled_at or _to_millis(tagged),
        used_at=used_at,
    )


def _digest(reference: str, digests: list[str]) -> str:
    """Return the digest by which its own registry knows an image."""
    repository = reference.partition("@")[0]
    head, slash, tail = repository.rpartition("/")
    plain = head + slash + tail.partition(":")[0]
    found = dict(item.partition("@")[::2] for item in digests)
    return found.get(plain, "")


def _to_millis(text: str) -> int:
    """Return an engine's time, which has nine digits after the point; 0 for none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0
    return max(0, int(moment.timestamp() * 1000))
