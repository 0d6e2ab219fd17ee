"""Error pages of the apps origin, in the reader's language; nothing of the request is echoed."""

from base64 import b64encode
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from html import escape
from string import Template
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from portal.common.asgi.problems import preferred_language
from portal.common.asgi.types import Header, Scope, Send, parse_cookies, send_response
from portal.common.translations import LANGUAGES, translate
from portal.common.work_kinds import KINDS, WebEndpoint
from portal.endpoints.values import ClosedWork, WorkAvailability
from portal.gateway.cookies import LANGUAGE_COOKIE

_RETRY_S: Final = 5


class ErrorPage(Enum):
    """Every error page: the key of its texts and its status."""

    NOT_OPEN = ("not_open", 401)
    WRONG_ORIGIN = ("wrong_origin", 403)
    VIEW_ONLY = ("view_only", 403)
    NOT_FOUND = ("not_found", 404)
    TOO_LARGE = ("too_large", 413)
    COOKIES = ("cookies", 431)
    TOO_MANY = ("too_many", 429)
    DOWN = ("down", 502)
    BUSY = ("busy", 503)
    SLOW = ("slow", 504)
    STARTING = ("starting", 503)
    STOPPED = ("stopped", 424)
    """424 as JupyterHub does: nothing is broken, and monitoring must not count it as a fault."""
    STOPPED_SHARED = ("stopped_shared", 424)
    ENDED = ("ended", 410)
    APP_ENDED = ("app_ended", 410)
    PORT_SILENT = ("port_silent", 502)

    @property
    def key(self) -> str:
        """The key of the page's texts in `locales`."""
        return self.value[0]

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.value[1]


_RELOADING: Final = frozenset(
    {ErrorPage.DOWN, ErrorPage.BUSY, ErrorPage.STARTING, ErrorPage.PORT_SILENT, ErrorPage.COOKIES}
)


@dataclass(frozen=True, slots=True)
class PageSubject:
    """The work that an error page is about, as far as the reader may know of it."""

    workload_id: UUID
    kind: str = ""
    """Empty for a reader who may not know it, nor whether there is such work."""
    name: str = ""
    port: int | None = None
    """The port that was requested of it; None is its web application."""


_CLOSED: Final = {
    WorkAvailability.STOPPED: ErrorPage.STOPPED,
    WorkAvailability.STARTING: ErrorPage.STARTING,
    WorkAvailability.STOPPING: ErrorPage.DOWN,
    WorkAvailability.ENDED: ErrorPage.ENDED,
}
_OVER: Final = frozenset({WorkAvailability.STOPPING, WorkAvailability.ENDED})


def page_of_closed(
    workload_id: UUID, closed: ClosedWork | None, port: int | None
) -> tuple[ErrorPage, PageSubject]:
    """Return the page that says why work cannot be opened, and what it is about.

    Without a valid grant it says no more than the address does. A start is offered to the owner only.
    """
    if closed is None:
        return ErrorPage.NOT_OPEN, PageSubject(workload_id, port=port)
    subject = PageSubject(workload_id, closed.kind, closed.name, port)
    if closed.availability in _OVER and closed.is_own and _is_session(closed):
        return ErrorPage.APP_ENDED, subject
    page = _CLOSED[closed.availability]
    is_others = page is ErrorPage.STOPPED and not closed.is_own
    return ErrorPage.STOPPED_SHARED if is_others else page, subject


def _is_session(closed: ClosedWork) -> bool:
    """Return whether its owner starts another one instead of it."""
    return KINDS[closed.kind].endpoint is WebEndpoint.PORT


_HTML: Final = Template("""<!doctype html>
<html lang="$language">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
$refresh<title>$title · Berth 泊位</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.6 system-ui, "Noto Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif;
         max-width: 36rem; margin: 15vh auto 0; padding: 0 1.5rem; overflow-wrap: anywhere; }
  h1 { font-size: 1.25rem; margin: 0 0 .5rem; }
  nav { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1.5rem; }
  a { color: light-dark(#0b6a75, #59c2cf); }
  a.start { background: light-dark(#0b6a75, #59c2cf); color: light-dark(#fff, #06222a);
            border-radius: 6px; padding: .35rem 1.25rem; text-decoration: none; }
</style>
$script<main>
<h1>$title</h1>
<p>$text</p>
<nav>$links</nav>
</main>
</html>
""")
_FORGET_COOKIES: Final = """
const steps = location.pathname.split('/').map((_, count, all) => all.slice(0, count + 1).join('/'));
const paths = [...steps.flatMap((step) => [step, step + '/']), location.pathname];
const labels = location.hostname.split('.');
const domains = ['', ...labels.map((_, count) => '; domain=' + labels.slice(count).join('.'))];
const secure = location.protocol === 'https:' ? ['; secure', '; secure; partitioned'] : [''];
for (const pair of document.cookie.split('; ')) {
  const name = pair.includes('=') ? pair.slice(0, pair.indexOf('=')) : '';
  for (const path of paths) for (const domain of domains) for (const more of secure)
    document.cookie = `${name}=x; max-age=0; path=${path}${domain}${more}`;
}
"""
"""Removes the cookies that scripts have set for this address, in whatever way they did."""
_FORGET_HASH: Final = b64encode(sha256(_FORGET_COOKIES.encode()).digest()).decode()
_HEADERS: Final[tuple[Header, ...]] = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        f"default-src 'none'; script-src 'sha256-{_FORGET_HASH}'; style-src 'unsafe-inline'; "
        "form-action 'none'; frame-ancestors 'none'".encode(),
    ),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


async def send_error_page(
    scope: Scope,
    send: Send,
    page: ErrorPage,
    portal_url: str,
    subject: PageSubject | None = None,
) -> None:
    """Answer a request or refuse an upgrade with a page in the reader's language."""
    headers, html = render_error_page(scope, page, portal_url, subject)
    await send_response(scope, send, page.status, headers, html)


def render_error_page(
    scope: Scope, page: ErrorPage, portal_url: str, subject: PageSubject | None = None
) -> tuple[list[Header], bytes]:
    """Return headers and body of a page in the reader's language; of the scope only headers count.

    Without the portal's address it leads nowhere.
    """
    language = page_language(scope)
    params = {"name": subject.name, "port": subject.port} if subject else {}
    html = _HTML.substitute(
        language=language,
        title=escape(translate(language, f"gateway.{page.key}.title", params)),
        text=escape(translate(language, f"gateway.{page.key}.text", params)),
        refresh=f'<meta http-equiv="refresh" content="{_RETRY_S}">\n' if page in _RELOADING else "",
        links=" ".join(_links(page, language, portal_url, subject)),
        script=f"<script>{_FORGET_COOKIES}</script>\n" if page is ErrorPage.COOKIES else "",
    )
    return [*_HEADERS, (b"content-language", language.encode())], html.encode()


def page_language(scope: Scope) -> str:
    """Return the language that the reader chose in the portal, else the browser's first."""
    chosen = parse_cookies(scope).get(LANGUAGE_COOKIE, "")
    return chosen if chosen in LANGUAGES else preferred_language(scope)


def _links(
    page: ErrorPage, language: str, portal_url: str, subject: PageSubject | None
) -> list[str]:
    """Return the ways on: starting the notebook, its page, or else the portal."""
    if not portal_url:
        return []
    if subject is None:
        return [_link(portal_url, translate(language, "gateway.back", {}))]
    # The portal asks a reader of unknown work to sign in, and only then which kind it is.
    place = KINDS[subject.kind].page if subject.kind else "work"
    label = f"gateway.back_to_{place}"
    own_page = f"{portal_url}/{place}/{subject.workload_id}"
    # The portal asks before it starts anything: a link alone must not act for its reader.
    start_page = f"{own_page}?{urlencode({'start': subject.port or 'lab'})}"
    if not subject.kind:
        return [_link(start_page, translate(language, label, {}))]
    back = _link(own_page, translate(language, label, {}))
    if page is ErrorPage.APP_ENDED:
        return [_link(own_page, translate(language, "gateway.start_again", {}), "start")]
    if page is not ErrorPage.STOPPED:
        return [back]
    start = _link(start_page, translate(language, "gateway.start", {}), "start")
    return [start, back]


def _link(url: str, text: str, style: str = "") -> str:
    marked = f' class="{style}"' if style else ""
    return f'<a{marked} href="{escape(url)}">{escape(text)}</a>'
