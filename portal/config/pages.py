"""The single-page application: one document for every URL that is not an API."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from portal.common.rest.problems import Problem, build_response


@require_safe
def single_page(request: HttpRequest) -> HttpResponse:
    """Return the application's document, which browsers must revalidate; its assets are cached."""
    try:
        document = (settings.FRONTEND_DIR / "index.html").read_bytes()
    except FileNotFoundError:
        return build_response(request, Problem(503, "pages_not_built", {}))
    return HttpResponse(document, headers={"Cache-Control": "no-cache"})
