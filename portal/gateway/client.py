"""HTTP clients of the proxies: they pass everything through as it is."""

from typing import Final

from aiohttp import BaseConnector, ClientSession, DummyCookieJar, TCPConnector

LINE_MAX: Final = 16 * 1024
"""Bytes of one header of a notebook's answer."""
IDLE_S: Final = 1.0
"""Idle connections are closed before a web server closes them in the middle of a request."""


def create_http_client(connector: BaseConnector | None = None) -> ClientSession:
    """Return a client without cookies and decompression; over TCP unless a connector is given."""
    return ClientSession(
        connector=connector or TCPConnector(limit=0, keepalive_timeout=IDLE_S),
        cookie_jar=DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
        max_line_size=LINE_MAX,
        max_field_size=LINE_MAX,
        skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
    )
