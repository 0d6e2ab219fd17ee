"""Web origins, compared exactly: scheme, host and port; and those of sites with a name for each work."""

import re
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit
from uuid import UUID

from typing_extensions import override

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of one of our sites."""

    scheme: str
    host: str
    """Host and port as in a `Host` header, without the scheme's default port."""
    uses_default_port: bool

    @classmethod
    def parse(cls, url: str) -> Self:
        """Read an origin such as `https://portal.example.org`."""
        parts = urlsplit(url.lower())
        default = _DEFAULT_PORTS[parts.scheme]
        host = parts.netloc.removesuffix(f":{default}")
        return cls(parts.scheme, host, parts.port in {None, default})

    @override
    def __str__(self) -> str:
        """Return the origin as browsers write it."""
        return f"{self.scheme}://{self.host}"

    def is_host(self, host: str) -> bool:
        """Return whether a `Host` header names this origin."""
        named = host.lower()
        if self.uses_default_port:
            named = named.removesuffix(f":{_DEFAULT_PORTS[self.scheme]}")
        return named == self.host

    def is_origin(self, origin: str) -> bool:
        """Return whether an `Origin` header names this origin; an absent one does not."""
        return origin == str(self)


_LABEL: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_WILDCARD: Final = re.compile(
    r"(?P<scheme>https?)://\*\.(?P<domain>[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?P<port>:\d{1,5})?"
)
_ADDRESS: Final = re.compile(r"[\d.]+")


@dataclass(frozen=True, slots=True)
class HostPattern:
    """Origins of which each is one work's alone: `https://*.apps.example.org`, its id in place of the star."""

    scheme: str
    domain: str
    """What all of their hosts end with, after a dot."""
    port: str
    """With its colon, as in a `Host` header; empty is the scheme's default."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a pattern; raises ValueError for what is none."""
        found = _WILDCARD.fullmatch(text.lower())
        if found is None or _ADDRESS.fullmatch(found["domain"]):
            raise ValueError("a scheme, one * as the first label, and a domain are needed")
        default = f":{_DEFAULT_PORTS[found['scheme']]}"
        return cls(found["scheme"], found["domain"], (found["port"] or "").removesuffix(default))

    def is_host(self, host: str) -> bool:
        """Return whether a `Host` header names one of these origins."""
        return self.find_work(host) is not None

    def find_work(self, host: str) -> UUID | None:
        """Return whose host this is, written exactly as browsers write it: one spelling is one name."""
        label = host.removesuffix(f".{self.domain}{self.port}")
        return UUID(label) if label != host and _LABEL.fullmatch(label) else None

    def origin_of(self, work: UUID) -> Origin:
        """Return the origin of one work."""
        return Origin(self.scheme, f"{work}.{self.domain}{self.port}", not self.port)

    def shares_cookies_with(self, url: str) -> bool:
        """Return whether a cookie may be for hosts of both, as one's name ends with the other's."""
        host = urlsplit(url).hostname or ""
        return f".{host}".endswith(f".{self.domain}") or f".{self.domain}".endswith(f".{host}")
