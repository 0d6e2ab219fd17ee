"""A web server with a sign-in, cookies and redirects of its own, behind a port, in a real browser."""

import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect
from typing_extensions import override

from portal.endpoints.values import base_path
from tests.e2e.in_background import in_background
from tests.portal.gateway.app_site import APP, AppSite, app_site

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
SIGN_IN: Final = f"Basic {b64encode(b'me:own-secret').decode()}"


class _Server(BaseHTTPRequestHandler):
    """Written as if it were asked directly: it knows its host, its root, and no prefix."""

    def do_GET(self) -> None:
        host = self.headers["Host"]
        if self.headers["Authorization"] != SIGN_IN:
            self._answer(401, "", **{"WWW-Authenticate": 'Basic realm="own"'})
        elif self.path == "/":
            cookie = "__Host-session=of-the-app; Path=/; Secure; HttpOnly"
            self._answer(302, "", **{"Location": f"http://{host}/home/?a=1", "Set-Cookie": cookie})
        elif self.path == "/away":
            gone = "__Host-session=; Path=/; Secure; Max-Age=0"
            self._answer(303, "", **{"Location": "/home/?a=2", "Set-Cookie": gone})
        else:
            self._answer(
                200, f"<p>{self.path}<p>{self.headers['Cookie']}", Link="</x.css>; rel=next"
            )

    def _answer(self, status: int, text: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def running_server() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def site() -> Iterator[AppSite]:
    with in_background(app_site()) as served:
        yield served


def test_server_with_a_sign_in_of_its_own_works(site: AppSite, chromium: Browser) -> None:
    with running_server() as port:
        pages = site.serve(port)
        context = chromium.new_context(
            http_credentials={"username": "me", "password": "own-secret"}
        )
        grant = f"{site.url}{base_path(APP)}"
        context.add_cookies([{"name": f"berth-app-{APP}", "value": "secret", "url": grant}])
        page = context.new_page()

        page.goto(pages)

        assert page.url == f"{pages}home/?a=1"
        expect(page.locator("p")).to_have_text(["/home/?a=1", "__Host-session=of-the-app"])
        page.goto(f"{pages}away")
        assert page.url == f"{pages}home/?a=2"
        expect(page.locator("p")).to_have_text(["/home/?a=2", "None"])
        context.close()
