"""The one HTTP client of the live process."""

from typing import Final

from aiohttp import ClientSession, DummyCookieJar, TCPConnector

LINE_MAX: Final = 16 * 1024
"""Bytes of one header of a notebook's answer."""
IDLE_S: Final = 1.0
"""Idle connections are let go before a web server does so in the middle of a request."""


def http_client() -> ClientSession:
    """Return a client that passes everything through as it is: no cookies, no decompression."""
    return ClientSession(
        connector=TCPConnector(limit=0, keepalive_timeout=IDLE_S),
        cookie_jar=DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
        max_line_size=LINE_MAX,
        max_field_size=LINE_MAX,
        skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
    )
