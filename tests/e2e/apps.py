"""TensorBoard as a person opens it."""

from playwright.sync_api import Page, expect

from tests.e2e.story import press
from tests.event_files import TAG


def open_tensorboard(page: Page) -> Page:
    """Press the button, and wait in the new tab until TensorBoard has read the events."""
    with page.expect_popup() as popup:
        press(page, "TensorBoard")
    expect(popup.value).to_have_title("TensorBoard")
    expect(popup.value.get_by_text(TAG).first).to_be_visible()
    return popup.value
