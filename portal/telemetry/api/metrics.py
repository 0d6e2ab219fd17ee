"""`GET /metrics` for Prometheus: with the installation's own token, or not there at all."""

from hmac import compare_digest

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from portal.telemetry.exposition import exposition


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer whoever has the token; to everybody else there is no such address."""
    wanted = settings.METRICS_TOKEN
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not wanted or not compare_digest(given.encode(), wanted.encode()):
        raise Http404
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)
