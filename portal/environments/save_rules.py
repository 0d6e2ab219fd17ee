"""Whether a notebook can be saved as an image now, and what a report of its node means; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from portal.common.errors import ConflictError, DomainError, ExhaustedError
from wire.images import ImageSaveReport
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
class SaveCircumstances:
    """What decides whether a notebook can be saved."""

    has_registry: bool
    state: str
    """Of the notebook."""
    is_running: bool
    runtime: str
    """Of its node; empty where it has none."""
    can_node_save: bool
    is_under_way: bool
    images: int
    """That its owner has, or is saving."""
    used_bytes: int
    image_mib_max: int
    images_mib_max: int

    @property
    def bytes_max(self) -> int:
        """How large the image may be."""
        left = self.images_mib_max * MIB - self.used_bytes
        return max(0, min(self.image_mib_max * MIB, left))


@dataclass(frozen=True, slots=True)
class SaveBlocker:
    """Why a notebook cannot be saved now."""

    code: str
    params: Mapping[str, int | str] = field(default_factory=dict)


def find_blocker(found: SaveCircumstances) -> SaveBlocker | None:
    """Return the first reason against a save; those that will not pass by themselves come first."""
    used_mib = found.used_bytes // MIB
    reasons = (
        (not found.has_registry, SaveBlocker("save_needs_registry")),
        (not found.is_running, SaveBlocker("not_running", {"state": found.state})),
        (found.runtime != "docker", SaveBlocker("save_needs_engine")),
        (not found.can_node_save, SaveBlocker("save_needs_newer_agent")),
        (found.is_under_way, SaveBlocker("save_under_way")),
        (
            found.images >= SAVED_IMAGES_PER_USER_MAX,
            SaveBlocker("too_many_saved_images", {"limit": SAVED_IMAGES_PER_USER_MAX}),
        ),
        (
            found.bytes_max == 0,
            SaveBlocker("saved_images_full", {"used": used_mib, "limit": found.images_mib_max}),
        ),
    )
    return next((blocker for applies, blocker in reasons if applies), None)


def to_refusal(blocker: SaveBlocker) -> DomainError:
    """Return the refusal of a request to save a notebook that cannot be saved."""
    if blocker.code in COUNTED:
        return ExhaustedError(blocker.code, **blocker.params)
    return ConflictError(blocker.code, **blocker.params)


def check_report(report: ImageSaveReport, bytes_max: int) -> tuple[ImageSaveState, str]:
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
