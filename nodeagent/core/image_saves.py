"""Saves of containers as images: what is to be done next about one, and what is reported of it; pure.

An order is repeated by every reply until its end was reported, so that a lost message, an agent or a
portal that starts again neither lose a save nor make a second image.
"""

from dataclasses import dataclass
from enum import StrEnum

from nodeagent.core.state import ContainerKey
from wire.words import SavePhase


class ImageSaveError(Exception):
    """The container cannot be saved; the detail begins with a code."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = f"{code}: {detail}"[:200] if detail else code


class TransientSaveError(ImageSaveError):
    """The same step may succeed in a moment."""


@dataclass(frozen=True, slots=True)
class SaveOrder:
    """One container to save as an image."""

    save: str
    key: ContainerKey
    reference: str
    bytes_max: int
    is_build: bool = False
    """It is saved once the steps of the build in the container are done."""
    env: tuple[str, ...] = ()
    """Variables that the build adds, as `SaveImage.env`."""
    verdict: str = ""
    """What became of the save of a build; empty until it has ended."""

    @property
    def registry(self) -> str:
        """Host and port that the reference begins with."""
        return self.reference.partition("/")[0]


@dataclass(frozen=True, slots=True)
class SaveProgress:
    """How far one save has come."""

    phase: SavePhase = SavePhase.WAITING
    done_bytes: int = 0
    total_bytes: int = 0
    size_bytes: int = 0
    digest: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class BegunSave:
    """A save as the agent keeps it across its restarts."""

    reference: str
    progress: SaveProgress


class SaveStep(StrEnum):
    """What is done next about a save."""

    COMMIT = "commit"
    PUSH = "push"
    GIVE_UP = "give_up"
    """The container has ended, and nothing of it was committed."""


def choose_step(*, is_committed: bool, is_running: bool) -> SaveStep:
    """Return the next step; an image that an earlier agent has committed is only pushed."""
    if is_committed:
        return SaveStep.PUSH
    return SaveStep.COMMIT if is_running else SaveStep.GIVE_UP


def require_size(size_bytes: int, bytes_max: int) -> None:
    """Raise `ImageSaveError` for an image that is larger than allowed."""
    if size_bytes > bytes_max:
        raise ImageSaveError("image_too_large", f"{size_bytes} bytes, {bytes_max} allowed")
