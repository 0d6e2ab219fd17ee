"""The single-page application: one document for every address that is not an API."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from portal.common.problems import Problem, problem_response


@require_safe
def single_page(request: HttpRequest) -> HttpResponse:
    """Return the application's document, asked anew each time: its assets are what is cached."""
    try:
        document = (settings.FRONTEND_DIR / "index.html").read_bytes()
    except FileNotFoundError:
        return problem_response(request, Problem(503, "pages_not_built", {}))
    return HttpResponse(document, headers={"Cache-Control": "no-cache"})
