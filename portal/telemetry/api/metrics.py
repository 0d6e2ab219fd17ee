"""`GET /metrics` for Prometheus, with a bearer token; 404 without one."""

from hmac import compare_digest

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from portal.common.site_config import get_site_config
from portal.telemetry.exposition import render_metrics


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics; 404 unless a token is configured and the request carries it."""
    wanted = get_site_config().metrics_token
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not wanted or not compare_digest(given.encode(), wanted.encode()):
        raise Http404
    return HttpResponse(render_metrics(), content_type=CONTENT_TYPE_LATEST)
