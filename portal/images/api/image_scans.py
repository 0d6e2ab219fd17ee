"""Endpoints of what a scanner has found in an image."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.images import image_scans
from portal.images.api.image_saves import SeverityCountsShape
from portal.images.models import ImageScan, ImageScanState
from portal.images.node_images import image_for_nodes
from portal.images.scan_reports import SEVERITIES


class VulnerabilityShape(serializers.Serializer[Any]):
    """One vulnerability of one package."""

    id = serializers.CharField()
    package = serializers.CharField()
    installed = serializers.CharField()
    fixed = serializers.CharField(help_text="The version that is without it; empty if none is.")
    severity = serializers.ChoiceField(choices=SEVERITIES)
    title = serializers.CharField()


class ImageScanShape(serializers.Serializer[Any]):
    """What was found in an image, and the scan that is under way."""

    has_scanner = serializers.BooleanField(help_text="Whether the site has one.")
    may_scan = serializers.BooleanField()
    state = serializers.ChoiceField(
        choices=ImageScanState.values, allow_null=True, help_text="Null: it was never scanned."
    )
    detail = serializers.CharField(help_text="Why the last scan failed.")
    scanned_at = serializers.DateTimeField(
        allow_null=True, help_text="When the findings were made, if there are any."
    )
    is_stale = serializers.BooleanField(
        help_text="Whether they are of another reference than the image has now."
    )
    counts = SeverityCountsShape(allow_null=True)
    findings = VulnerabilityShape(many=True, help_text="The worst first; at most 500.")


class ImageScanView(ApiView):
    """The scan of one image."""

    required_actions = {"GET": Action.IMAGE_VIEW, "POST": Action.IMAGE_SAVE}
    is_paged = False

    @extend_schema(responses=ImageScanShape)
    def get(self, request: ApiRequest, image_id: UUID) -> Response:
        """Return what was found in the image last."""
        return Response(_present(request, image_id))

    @extend_schema(request=None, responses={202: ImageScanShape})
    def post(self, request: ApiRequest, image_id: UUID) -> Response:
        """Scan the image as the next one."""
        image_scans.ask_for_scan(actor=request.actor, image_id=image_id, site=get_site_config())
        return Response(_present(request, image_id), status=202)


def _present(request: ApiRequest, image_id: UUID) -> Any:
    image = image_for_nodes(request.actor, image_id)
    scan = ImageScan.objects.filter(pk=image.pk).first()
    shown = {
        "has_scanner": get_site_config().image_scanner is not None,
        "may_scan": image_scans.may_ask(request.actor, image),
        "state": scan.state if scan else None,
        "detail": scan.detail if scan and scan.state == ImageScanState.FAILED else "",
        "scanned_at": scan.scanned_at if scan else None,
        "is_stale": image_scans.is_stale(scan, image),
        "counts": (scan and scan.counts) or None,
        "findings": scan.findings if scan else [],
    }
    return ImageScanShape(shown).data
