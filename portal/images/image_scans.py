"""Scans of images for vulnerabilities, one at a time, by the program that the site has configured.

Saved images are scanned by themselves, and again after some days; images of the platform once somebody has
asked for it. What was found is of one reference: after that has changed it is stale.
"""

from collections.abc import Collection, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from portal.audit import services as audit
from portal.catalog.models import Image
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, DeniedError, NotFoundError
from portal.common.notifications import invalidate_lists
from portal.common.site_config import ImageScanner, SiteConfig
from portal.images import scan_runs
from portal.images.models import ImageScan, ImageScanState
from portal.images.node_images import image_for_nodes
from portal.images.registries import reveal_registry
from portal.images.scan_reports import ScanReportError, parse_report
from portal.images.scan_runs import TIMED_OUT, ScanEnd
from portal.images.selectors import saved_image_for_manager
from portal.tenancy import policies
from wire.images import RegistryLogin, registry_host

FOLDER: Final = "scans"
"""Below the storage; each image has a folder of its own there while it is scanned."""
LOST_AFTER: Final = timedelta(minutes=5)
"""After its time is over a scan of which nothing is left has failed: its worker was gone."""
TRIED_AGAIN_AFTER: Final = timedelta(days=1)
"""How long a scan that failed is not begun again by itself."""


@transaction.atomic
def ask_for_scan(*, actor: Actor, image_id: UUID, site: SiteConfig) -> ImageScan:
    """Scan an image as the next one.

    Raises:
        NotFoundError: there is no such image, or the actor may not see it.
        DeniedError: the actor may not change it.
        ConflictError: the site has no scanner, or the image is being scanned.
    """
    image = image_for_nodes(actor, image_id)
    _require_manager(actor, image)
    if site.image_scanner is None:
        raise ConflictError("no_image_scanner")
    ImageScan.objects.get_or_create(image=image)
    scan = ImageScan.objects.select_for_update(no_key=True).get(pk=image.pk)
    if scan.state == ImageScanState.RUNNING:
        raise ConflictError("image_scan_under_way")
    scan.state, scan.asked_at = ImageScanState.WAITING.value, now()
    scan.save(update_fields=["state", "asked_at"])
    audit.record_event(
        actor=actor,
        action="image.scan",
        object_type="image",
        object_id=image.pk,
        group_id=image.group_id,
        params={"name": image.name},
    )
    return scan


def may_ask(actor: Actor, image: Image) -> bool:
    """Return whether the actor may have an image scanned: who may change it may."""
    try:
        _require_manager(actor, image)
    except (NotFoundError, DeniedError):
        return False
    return True


def is_stale(scan: ImageScan | None, image: Image) -> bool:
    """Return whether what was found is of another reference than the image has now."""
    if scan is None or scan.scanned_at is None:
        return False
    return scan.scanned_reference != image.reference


def counts_for_system(image_ids: Collection[UUID]) -> Mapping[UUID, Mapping[str, int]]:
    """Return how many vulnerabilities were found in those of these images that were scanned."""
    scans = ImageScan.objects.filter(pk__in=image_ids, scanned_at__isnull=False)
    return dict(scans.values_list("pk", "counts"))


def tend_scans(site: SiteConfig) -> None:
    """Look at the scan that runs; when none does, begin the next one that is due."""
    scanner = site.image_scanner
    if scanner is None:
        return
    running = ImageScan.objects.filter(state=ImageScanState.RUNNING).first()
    if running is not None and not _has_ended(running, scanner, site):
        return
    _queue_due(scanner)
    waiting = ImageScan.objects.filter(state=ImageScanState.WAITING, image__is_active=True)
    scan = waiting.select_related("image").order_by("asked_at").first()
    if scan is not None:
        _begin(scan, scanner, site)


def _require_manager(actor: Actor, image: Image) -> None:
    if image.owner_id is None:
        policies.require(actor, Action.IMAGE_MANAGE, None)
    else:
        saved_image_for_manager(actor, image.pk)


def _queue_due(scanner: ImageScanner) -> None:
    """Let saved images be scanned that never were, and all again whose findings are old or stale."""
    never = Image.objects.filter(owner__isnull=False, is_active=True, scan__isnull=True)
    ImageScan.objects.bulk_create(
        (ImageScan(image=image) for image in never.order_by("created_at")[:100]),
        ignore_conflicts=True,
    )
    old = Q(scanned_at__lt=now() - timedelta(days=scanner.days))
    stale = Q(scanned_at__isnull=False) & ~Q(scanned_reference=F("image__reference"))
    again = ImageScan.objects.filter(
        Q(state=ImageScanState.DONE) & (old | stale)
        | Q(state=ImageScanState.FAILED, ended_at__lt=now() - TRIED_AGAIN_AFTER),
        image__is_active=True,
    )
    again.update(state=ImageScanState.WAITING.value, asked_at=now())


def _begin(scan: ImageScan, scanner: ImageScanner, site: SiteConfig) -> None:
    reference = scan.image.reference
    begun = {"state": ImageScanState.RUNNING.value, "started_at": now(), "reference": reference}
    waiting = ImageScan.objects.filter(pk=scan.pk, state=ImageScanState.WAITING)
    if not waiting.update(**begun):
        return  # another worker was quicker
    login = _login_for(reference, site)
    try:
        scan_runs.begin_scan(
            _folder(scan, site), scanner.fill_in(reference), scanner.timeout_s, login
        )
    except OSError as error:
        scan.refresh_from_db()
        _end(scan, failure=f"not started: {error.strerror}")


def _has_ended(scan: ImageScan, scanner: ImageScanner, site: SiteConfig) -> bool:
    """Take over what a scan has found, once it has ended."""
    folder = _folder(scan, site)
    end = scan_runs.read_scan(folder)
    if end is None:
        begun = scan.started_at or scan.asked_at
        if now() - begun < timedelta(seconds=scanner.timeout_s) + LOST_AFTER:
            return False
        _end(scan, failure="nothing is left of it: the worker was gone")
    else:
        _take_over(scan, end)
    scan_runs.forget_scan(folder)
    return True


def _take_over(scan: ImageScan, end: ScanEnd) -> None:
    if end.exit_code == TIMED_OUT:
        _end(scan, failure="it took too long")
        return
    try:
        found = parse_report(end.report)
    except ScanReportError as error:
        # Scanners may end with another code because they have found something.
        _end(scan, failure=end.said or f"exit code {end.exit_code}, and {error}")
        return
    scan.counts, scan.findings = dict(found.counts), found.rows()
    scan.scanned_reference, scan.scanned_at = scan.reference, now()
    _end(scan)


def _end(scan: ImageScan, *, failure: str = "") -> None:
    state = ImageScanState.FAILED if failure else ImageScanState.DONE
    scan.state, scan.ended_at, scan.detail = state.value, now(), failure[:200]
    scan.save()
    invalidate_lists("image")


def _folder(scan: ImageScan, site: SiteConfig) -> Path:
    return site.storage_dir / FOLDER / str(scan.pk)


def _login_for(reference: str, site: SiteConfig) -> RegistryLogin | None:
    host, own = registry_host(reference), site.registry
    if own is not None and own.host == host:
        return RegistryLogin(host=host, username=own.username, password=own.password)
    try:
        return reveal_registry(host)
    except NotFoundError:
        return None
