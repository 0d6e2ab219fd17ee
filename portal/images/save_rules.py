"""Whether an image can be saved or built now, and what a report of its node means; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from portal.common.errors import ConflictError, DomainError, ExhaustedError
from portal.execution.capabilities import Capabilities
from portal.execution.report import SaveReport
from wire.words import SavePhase

SAVED_IMAGES_PER_USER_MAX: Final = 20
"""Saved images of one user, with those that are being saved."""
MIB: Final = 1024 * 1024
DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
COUNTED: Final = frozenset({"too_many_saved_images", "saved_images_full"})
"""Blockers that are counted limits."""


class ImageSaveState(StrEnum):
    """How far a save has come."""

    ORDERED = "ordered"
    COMMITTING = "committing"
    PUSHING = "pushing"
    SAVED = "saved"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self in (ImageSaveState.SAVED, ImageSaveState.FAILED, ImageSaveState.CANCELLED)


STATES: Final[Mapping[SavePhase, ImageSaveState]] = {
    SavePhase.WAITING: ImageSaveState.ORDERED,
    SavePhase.COMMITTING: ImageSaveState.COMMITTING,
    SavePhase.PUSHING: ImageSaveState.PUSHING,
    SavePhase.SAVED: ImageSaveState.SAVED,
    SavePhase.FAILED: ImageSaveState.FAILED,
}


@dataclass(frozen=True, slots=True)
class ImageRoom:
    """How many images a person has, and may have."""

    images: int
    """That the person has, or is saving or building."""
    used_bytes: int
    image_mib_max: int
    images_mib_max: int

    @property
    def bytes_max(self) -> int:
        """How large the image may be."""
        left = self.images_mib_max * MIB - self.used_bytes
        return max(0, min(self.image_mib_max * MIB, left))

    @property
    def used_mib(self) -> int:
        """What the images of the person take."""
        return self.used_bytes // MIB


@dataclass(frozen=True, slots=True)
class SaveCircumstances:
    """What decides whether a notebook can be saved."""

    has_registry: bool
    state: str
    """Of the notebook."""
    is_running: bool
    can: Capabilities
    """What its node can do; nothing where it has none."""
    is_under_way: bool
    room: ImageRoom
    """Of its owner."""


@dataclass(frozen=True, slots=True)
class BuildCircumstances:
    """What decides whether a person can build an image."""

    has_registry: bool
    has_engine: bool
    """Whether any of the nodes has a container engine."""
    can_build: bool
    """Whether any of them can build."""
    room: ImageRoom


@dataclass(frozen=True, slots=True)
class SaveBlocker:
    """Why no image can be saved or built now."""

    code: str
    params: Mapping[str, int | str] = field(default_factory=dict)


Reasons = tuple[tuple[bool, SaveBlocker], ...]
"""What is against it, each with whether that applies."""


def find_blocker(found: SaveCircumstances) -> SaveBlocker | None:
    """Return the first reason against a save; those that will not pass by themselves come first."""
    return _first(
        (
            (not found.has_registry, SaveBlocker("save_needs_registry")),
            (not found.is_running, SaveBlocker("not_running", {"state": found.state})),
            (not found.can.pulls_images, SaveBlocker("save_needs_engine")),
            (not found.can.saves_images, SaveBlocker("save_needs_newer_agent")),
            (found.is_under_way, SaveBlocker("save_under_way")),
            *_room_reasons(found.room),
        )
    )


def find_build_blocker(found: BuildCircumstances) -> SaveBlocker | None:
    """Return the first reason against a build."""
    return _first(
        (
            (not found.has_registry, SaveBlocker("build_needs_registry")),
            (not found.has_engine, SaveBlocker("build_needs_engine")),
            (not found.can_build, SaveBlocker("build_needs_newer_agent")),
            *_room_reasons(found.room),
        )
    )


def _room_reasons(room: ImageRoom) -> Reasons:
    full = {"used": room.used_mib, "limit": room.images_mib_max}
    return (
        (
            room.images >= SAVED_IMAGES_PER_USER_MAX,
            SaveBlocker("too_many_saved_images", {"limit": SAVED_IMAGES_PER_USER_MAX}),
        ),
        (room.bytes_max == 0, SaveBlocker("saved_images_full", full)),
    )


def _first(reasons: Reasons) -> SaveBlocker | None:
    return next((blocker for applies, blocker in reasons if applies), None)


def to_refusal(blocker: SaveBlocker) -> DomainError:
    """Return the refusal of a request to save or build what cannot be saved or built."""
    if blocker.code in COUNTED:
        return ExhaustedError(blocker.code, **blocker.params)
    return ConflictError(blocker.code, **blocker.params)


def check_report(report: SaveReport, bytes_max: int) -> tuple[ImageSaveState, str]:
    """Return the state that a report means, and the code of a failure.

    A node that claims to have saved what is too large, or names no digest, has failed.
    """
    state = STATES[report.phase]
    if state is ImageSaveState.FAILED:
        code = report.detail.partition(":")[0].strip()
        return state, code if code.replace("_", "").isalnum() else "engine_error"
    if state is ImageSaveState.SAVED:
        if report.size_bytes > bytes_max:
            return ImageSaveState.FAILED, "image_too_large"
        if not DIGEST.fullmatch(report.digest):
            return ImageSaveState.FAILED, "engine_error"
    return state, ""
