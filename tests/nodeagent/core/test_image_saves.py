"""What is done next about a save: never a second image, never one of a notebook that has ended."""

import pytest

from nodeagent.core.image_saves import (
    ImageSaveError,
    SaveStep,
    choose_step,
    require_size,
)


@pytest.mark.parametrize(
    ("is_committed", "is_running", "step"),
    [
        (False, True, SaveStep.COMMIT),
        (True, True, SaveStep.PUSH),
        (True, False, SaveStep.PUSH),
        (False, False, SaveStep.GIVE_UP),
    ],
)
def test_step(is_committed: bool, is_running: bool, step: SaveStep) -> None:
    assert choose_step(is_committed=is_committed, is_running=is_running) is step


def test_an_image_may_be_as_large_as_allowed_and_no_larger() -> None:
    require_size(10, 10)
    with pytest.raises(ImageSaveError, match="image_too_large") as caught:
        require_size(11, 10)
    assert caught.value.detail == "image_too_large: 11 bytes, 10 allowed"
