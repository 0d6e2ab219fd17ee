"""The engine's reports of a push become bytes that never exceed what was announced, and a digest."""

import pytest

from nodeagent.core.image_saves import TransientSaveError
from nodeagent.docker.saving.push import PushProgress, to_save_error

DIGEST = f"sha256:{64 * 'a'}"


def reported(*reports: tuple[str, str, int, int]) -> PushProgress:
    progress = PushProgress()
    for name, status, current, total in reports:
        detail = {"current": current, "total": total} if total else {}
        progress.add_report({"id": name, "status": status, "progressDetail": detail})
    return progress


def test_only_what_the_registry_lacks_is_counted() -> None:
    progress = reported(
        ("base", "Layer already exists", 0, 0),
        ("other", "Mounted from berth/other", 0, 0),
        ("new", "Pushing", 30, 100),
    )
    assert (progress.sent_bytes, progress.total_bytes) == (30, 100)
    progress.add_report({"id": "new", "status": "Pushed"})
    assert (progress.sent_bytes, progress.total_bytes) == (100, 100)


def test_a_layer_that_is_longer_than_announced_is_not_more_than_whole() -> None:
    progress = reported(("new", "Pushing", 130, 100))
    assert (progress.sent_bytes, progress.total_bytes) == (100, 100)


def test_the_digest_is_that_of_the_manifest() -> None:
    progress = reported(("new", "Pushed", 0, 0))
    assert progress.digest == ""
    progress.add_report({"aux": {"Tag": "saved", "Digest": DIGEST, "Size": 1}})
    assert progress.digest == DIGEST


@pytest.mark.parametrize(
    ("text", "code", "is_transient"),
    [
        ("dial tcp 10.0.0.1:5000: connect: connection refused", "registry_unreachable", True),
        ("received unexpected HTTP status: 503 Service Unavailable", "registry_busy", True),
        ("no basic auth credentials", "image_no_access", False),
        ("unauthorized: authentication required", "image_no_access", False),
        ("write /var/lib/docker/tmp/1: no space left on device", "disk_full", False),
        ("x509: certificate signed by unknown authority", "registry_untrusted", False),
    ],
)
def test_what_the_engine_answers_has_a_code(text: str, code: str, is_transient: bool) -> None:
    error = to_save_error(text)
    assert (error.code, isinstance(error, TransientSaveError)) == (code, is_transient)
