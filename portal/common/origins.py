"""Web origins, compared exactly: scheme, host and port."""

from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

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
