"""Images are scanned by the site's own program, a small one here; what it found is of one reference."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.catalog.models import Image
from portal.common.clock import freeze, now
from portal.common.site_config import ImageScanner, get_site_config
from portal.images import image_scans
from portal.images.models import ImageScan
from portal.images.tasks import scan_images
from portal.tenancy.models import Group
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.saving import REGISTRY, a_saved_image
from tests.portal.images.test_scan_reports import TRIVY
from tests.rest import API, browser, json_of, problem_of
from tests.waiting import wait_until

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
PROGRAM = Path(__file__).parents[2] / "fakes" / "image_scanner.py"


@dataclass
class Lab:
    """A group with an owner of images, and a scanner whose report lies in a folder."""

    folder: Path
    group: Group = field(default_factory=a_group)

    def __post_init__(self) -> None:
        self.owner = a_member(self.group)
        self.report, self.note = self.folder / "report", self.folder / "note"

    @property
    def scanner(self) -> ImageScanner:
        """The command of the small scanner."""
        words = (sys.executable, str(PROGRAM), str(self.report), str(self.note), "{image}")
        return ImageScanner(words, timeout_s=60)

    @property
    def called(self) -> dict[str, Any]:
        """How the scanner was called last."""
        return dict(json.loads(self.note.read_text()))

    def finds(self, content: object) -> None:
        """Let the scanner print this."""
        self.report.write_text(json.dumps(content))

    def scan(self) -> None:
        """Let the task run until the scan that it begins has ended."""
        scan_images()
        for scan in ImageScan.objects.filter(state="running"):
            ended = get_site_config().storage_dir / image_scans.FOLDER / str(scan.pk) / "ended"
            wait_until(ended.exists)
        scan_images()

    def shown(self, image: Image) -> Any:
        """Return what the page shows."""
        return json_of(browser(self.owner).get(address(image)))


def address(image: Image) -> str:
    return f"{API}/images/{image.pk}/scan"


@pytest.fixture
def lab(tmp_path: Path, set_site: Callable[..., None]) -> Lab:
    found = Lab(tmp_path)
    storage = tmp_path / "storage"
    set_site(image_scanner=found.scanner, registry=REGISTRY, storage_dir=storage)
    return found


def test_a_saved_image_is_scanned_by_itself_with_the_login_of_its_registry(lab: Lab) -> None:
    lab.finds(TRIVY)
    saved = a_saved_image(lab.owner, lab.group)
    assert lab.shown(saved.image)["state"] is None
    lab.scan()
    shown = lab.shown(saved.image)
    assert (shown["state"], shown["is_stale"]) == ("done", False)
    assert shown["counts"] == {"critical": 1, "high": 0, "medium": 0, "low": 1, "unknown": 0}
    assert [item["id"] for item in shown["findings"]] == ["CVE-2026-0001", "CVE-2026-0002"]
    assert lab.called["image"] == saved.image.reference
    assert list(lab.called["docker"]["auths"]) == [REGISTRY.host]
    assert lab.called["portal"] == [], "no variable of the portal"
    (listed,) = json_of(browser(lab.owner).get(f"{API}/saved-images"))["results"]
    assert listed["vulnerabilities"] == shown["counts"]
    assert not list((get_site_config().storage_dir / image_scans.FOLDER).iterdir())


def test_nothing_is_scanned_twice_before_its_time(lab: Lab) -> None:
    lab.finds(TRIVY)
    a_saved_image(lab.owner, lab.group)
    lab.scan()
    lab.note.unlink()
    lab.scan()
    assert not lab.note.exists()
    with freeze(now() + timedelta(days=lab.scanner.days, minutes=1)):
        lab.scan()
    assert lab.note.exists()


def test_an_image_of_the_platform_is_scanned_when_asked_and_stale_once_it_has_changed(
    lab: Lab,
) -> None:
    lab.finds(TRIVY)
    image = an_image()
    lab.scan()
    assert not ImageScan.objects.exists()
    admin = browser(a_user(role="platform_admin"))
    assert json_of(admin.post(address(image)), 202)["state"] == "waiting"
    lab.scan()
    assert lab.shown(image)["counts"]["critical"] == 1
    assert lab.called["docker"]["auths"] == {}
    Image.objects.filter(pk=image.pk).update(reference="other:2")
    assert lab.shown(image)["is_stale"] is True
    lab.finds({"SchemaVersion": 2})
    lab.scan()
    shown = lab.shown(image)
    assert (shown["is_stale"], shown["counts"]["critical"], shown["findings"]) == (False, 0, [])
    assert lab.called["image"] == "other:2"


def test_a_scan_that_fails_says_why_and_keeps_what_was_found_before(lab: Lab) -> None:
    lab.finds(TRIVY)
    saved = a_saved_image(lab.owner, lab.group)
    lab.scan()
    lab.report.unlink()
    json_of(browser(lab.owner).post(address(saved.image)), 202)
    lab.scan()
    shown = lab.shown(saved.image)
    assert (shown["state"], shown["detail"]) == ("failed", "FATAL no such image")
    assert shown["counts"]["critical"] == 1
    lab.finds({"SchemaVersion": 2})
    lab.scan()
    assert lab.shown(saved.image)["state"] == "failed", "not again at once"
    with freeze(now() + 2 * image_scans.TRIED_AGAIN_AFTER):
        lab.scan()
    assert lab.shown(saved.image)["state"] == "done"


def test_a_scanner_that_takes_too_long_or_is_not_there_has_failed(
    lab: Lab, set_site: Callable[..., None]
) -> None:
    saved = a_saved_image(lab.owner, lab.group)
    slow = ImageScanner(("/bin/sh", "-c", "sleep 600", "{image}"), 1)
    set_site(image_scanner=slow)
    lab.scan()
    assert lab.shown(saved.image)["detail"] == "it took too long"
    set_site(image_scanner=ImageScanner(("/nowhere/scanner", "{image}")))
    json_of(browser(lab.owner).post(address(saved.image)), 202)
    lab.scan()
    assert "/nowhere/scanner" in lab.shown(saved.image)["detail"]


def test_a_scan_whose_worker_was_gone_has_failed_after_its_time(lab: Lab) -> None:
    saved = a_saved_image(lab.owner, lab.group)
    ImageScan.objects.create(image=saved.image, state="running", started_at=now())
    scan_images()
    assert lab.shown(saved.image)["state"] == "running"
    later = now() + timedelta(seconds=lab.scanner.timeout_s) + image_scans.LOST_AFTER
    with freeze(later + timedelta(seconds=1)):
        scan_images()
    assert lab.shown(saved.image)["state"] == "failed"


def test_who_sees_and_asks(lab: Lab) -> None:
    private = a_saved_image(lab.owner, lab.group)
    shared = a_saved_image(lab.owner, lab.group, "shared", is_shared=True)
    colleague = browser(a_member(lab.group))
    problem_of(colleague.get(address(private.image)), 404, "not_found")
    problem_of(colleague.post(address(private.image)), 404, "not_found")
    assert json_of(colleague.get(address(shared.image)))["may_scan"] is False
    problem_of(colleague.post(address(shared.image)), 403, "denied")
    assert lab.shown(shared.image)["may_scan"] is True
    problem_of(browser(lab.owner).post(address(an_image())), 403, "denied")
    json_of(browser(lab.owner).post(address(private.image)), 202)
    assert AuditEvent.objects.filter(action="image.scan").count() == 1


def test_without_a_scanner_nothing_is_scanned(lab: Lab, set_site: Callable[..., None]) -> None:
    saved = a_saved_image(lab.owner, lab.group)
    set_site(image_scanner=None)
    scan_images()
    assert not ImageScan.objects.exists()
    assert lab.shown(saved.image)["has_scanner"] is False
    refused = browser(lab.owner).post(address(saved.image))
    problem_of(refused, 409, "no_image_scanner")


def test_an_image_that_is_being_scanned_is_not_asked_for_again(lab: Lab) -> None:
    saved = a_saved_image(lab.owner, lab.group)
    ImageScan.objects.create(image=saved.image, state="running", started_at=now())
    refused = browser(lab.owner).post(address(saved.image))
    problem_of(refused, 409, "image_scan_under_way")
