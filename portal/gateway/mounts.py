"""Where browsers see a server that stands behind a port, and addresses translated between the two; pure.

The server was written to be asked directly. What it says of its own addresses is moved below the path that
browsers have for it, and what they say of them is shown to it as if nothing stood in front.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

from portal.common.origins import Origin

_ABSOLUTE: Final = re.compile(
    r"(?:https?:)?//(?P<host>[^/?#\\@]*)(?P<rest>[/?#].*)?", re.IGNORECASE
)
_OTHER_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_OWN_NAMES: Final = re.compile(r"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]")
_LINK: Final = re.compile(r"(?<=<)[^<>]*(?=>)")
_REFRESH: Final = re.compile(
    r"""(?P<wait>[\s\d.]+[;,\s]\s*(?:url\s*=\s*)?)(?P<quote>['"]?)(?P<url>[^'"]+)(?P=quote)\s*""",
    re.IGNORECASE,
)
_DOT: Final = re.compile("%2e", re.IGNORECASE)
_DOTS: Final = re.compile(r"^[^?#]*/(?:\.|%2e){1,2}(?:[/?#]|$)", re.IGNORECASE)
_ANY: Final = "http://any"
_DEFAULT_PORT: Final = re.compile(r":(?:80|443)$")


@dataclass(frozen=True, slots=True)
class PortMount:
    """The place of one server on an origin."""

    origin: Origin
    base: str
    """Path below which browsers see it, with a slash at its end."""
    port: int
    """Where it listens."""
    is_removed: bool = True
    """Whether it sees paths without `base`."""

    @property
    def prefix(self) -> str:
        """What is removed from every path, without a slash at its end."""
        return self.base.rstrip("/") if self.is_removed else ""

    def move_header(self, name: bytes, value: bytes, page: str) -> bytes:
        """Return a header of its answer to a request for `page`, a path as browsers see it."""
        text = value.decode("latin-1").strip()
        match name:
            case b"location" | b"content-location":
                moved = self.move(text, page)
            case b"link":
                moved = _LINK.sub(lambda found: self.move(found[0], page), text)
            case b"refresh":
                moved = _move_refresh(text, lambda url: self.move(url, page))
            case _:
                return value
        return moved.encode("latin-1")

    def move(self, url: str, page: str) -> str:
        """Return where browsers find what the server calls `url`; other sites stay what they are.

        Its own are its path alone, or any name by which it was asked or knows itself. A relative one is changed only
        where it would lead out of `base`: directly asked, the root is as far as it goes.
        """
        if absolute := _ABSOLUTE.fullmatch(url):
            is_own = self._is_own(absolute["host"])
            return f"{self.origin}{self._below(absolute['rest'] or '/')}" if is_own else url
        if url.startswith("/"):
            return url if url[1:2] in ("/", "\\") else self._below(url)
        if not url or _OTHER_SCHEME.match(url):
            return url
        if not self.is_removed or _resolve(page, url).startswith(self.base):
            return url
        return self._below(_resolve(f"/{page[len(self.base) :]}", url))

    def show(self, url: str) -> str:
        """Return what the server would call a URL that a browser has named to it."""
        for start in (f"{self.origin}{self.base}", self.base):
            if self.is_removed and f"{url}/".startswith(start):
                return f"{start.removesuffix(self.base)}/{url[len(start) :]}"
        return url

    def _is_own(self, host: str) -> bool:
        named = host.lower()
        name, _, port = named.rpartition(":")
        if _OWN_NAMES.fullmatch(name) and port == str(self.port):
            return True
        return _DEFAULT_PORT.sub("", named) == _DEFAULT_PORT.sub("", self.origin.host)

    def _below(self, path: str) -> str:
        """Return a path from the root, moved below `base` unless it is there."""
        if _DOTS.search(path):
            path = _resolve("/", path)
        is_base = re.split("[?#]", path, maxsplit=1)[0] == self.base.rstrip("/")
        if is_base or path.startswith(self.base):
            return path
        return f"{self.base}{path.removeprefix('/')}"


def _resolve(page: str, url: str) -> str:
    """Return the path, query and fragment to which a relative URL leads from a page, as browsers read it."""
    path, *end = re.split("(?=[?#])", url, maxsplit=1)
    try:
        return urljoin(f"{_ANY}{page}", f"{_DOT.sub('.', path)}{''.join(end)}").removeprefix(_ANY)
    except ValueError:  # no address at all
        return url


def _move_refresh(text: str, move: Callable[[str], str]) -> str:
    found = _REFRESH.fullmatch(text)
    if found is None:
        return text
    return f"{found['wait']}{found['quote']}{move(found['url'])}{found['quote']}"
