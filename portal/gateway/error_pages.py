"""Error pages of the apps origin, in two languages; nothing of the request is echoed."""

from enum import Enum
from html import escape
from string import Template
from typing import Final

from portal.common.asgi import Header, Scope, Send, send_response
from portal.common.asgi_problems import preferred_language
from portal.common.translations import translate

_LANGUAGES: Final = ("zh-CN", "en")
_RETRY_S: Final = 5


class ErrorPage(Enum):
    """Every error page: the key of its texts and its status."""

    NOT_OPEN = ("not_open", 401)
    WRONG_ORIGIN = ("wrong_origin", 403)
    NOT_FOUND = ("not_found", 404)
    TOO_LARGE = ("too_large", 413)
    TOO_MANY = ("too_many", 429)
    DOWN = ("down", 502)
    BUSY = ("busy", 503)
    SLOW = ("slow", 504)

    @property
    def key(self) -> str:
        """The key of the page's texts in `locales`."""
        return self.value[0]

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.value[1]


_RELOADING: Final = frozenset({ErrorPage.DOWN, ErrorPage.BUSY})

_HTML: Final = Template("""<!doctype html>
<html lang="$language">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
$refresh<title>$title · Berth 泊位</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.6 system-ui, "Noto Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif;
         max-width: 36rem; margin: 15vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.25rem; margin: 0 0 .5rem; }
  section + section { margin-top: 2rem; opacity: .75; }
  a { color: light-dark(#0b6a75, #59c2cf); }
</style>
$sections
</html>
""")
_SECTION: Final = Template(
    '<section lang="$language"><h1>$title</h1><p>$text</p><p><a href="$portal">$back</a></p></section>'
)
_HEADERS: Final[tuple[Header, ...]] = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


async def send_error_page(scope: Scope, send: Send, page: ErrorPage, portal_url: str) -> None:
    """Answer a request or refuse an upgrade with a page; the user's language comes first."""
    preferred = preferred_language(scope)
    ordered = sorted(_LANGUAGES, key=lambda language: language != preferred)
    html = _HTML.substitute(
        language=preferred,
        title=escape(translate(preferred, f"gateway.{page.key}.title", {})),
        refresh=f'<meta http-equiv="refresh" content="{_RETRY_S}">\n' if page in _RELOADING else "",
        sections="\n".join(_section(page, language, portal_url) for language in ordered),
    )
    await send_response(scope, send, page.status, _HEADERS, html.encode())


def _section(page: ErrorPage, language: str, portal_url: str) -> str:
    return _SECTION.substitute(
        language=language,
        title=escape(translate(language, f"gateway.{page.key}.title", {})),
        text=escape(translate(language, f"gateway.{page.key}.text", {})),
        back=escape(translate(language, "gateway.back", {})),
        portal=escape(portal_url),
    )
