"""A program that knows only addresses from the root, by a button: it has a host of its own."""

import sys
from pathlib import Path
from typing import Final

import pytest
from yarl import URL

from portal.apps.commands import ServedAt
from portal.apps.presets import OPTUNA_DASHBOARD
from tests.portal.access.app_tab import an_app_tab
from tests.waiting import PATIENCE_S, wait_until_async

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("redis_url"),
]
DASHBOARD: Final = (
    f"#!{sys.executable}"
    """
import http.server, sys
storage, _host, port = sys.argv[1:]

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        pages = {"/dashboard": '<script src="/static/bundle.js"></script>', "/api/studies": storage}
        page = pages.get(self.path)
        self.send_response(302 if self.path == "/" else 200 if page else 404)
        self.send_header("Location", "/dashboard")
        self.end_headers()
        self.wfile.write((page or "").encode())

http.server.HTTPServer(("127.0.0.1", int(port.split("=")[1])), Handler).serve_forever()
"""
)
"""Stands in for Optuna's dashboard, whose addresses it has."""


def an_image(folder: Path) -> Path:
    """Make a Python environment that has the program, and otherwise what the tests have."""
    program = folder / "image" / "bin" / "optuna-dashboard"
    program.parent.mkdir(parents=True)
    (program.parent / "python").symlink_to("/usr/bin/env")
    program.write_text(DASHBOARD)
    program.chmod(0o755)
    return program.parent.parent


def leave_journal(outputs: Path) -> None:
    (outputs / "optuna.journal").write_text('{"op_code": 0}\n')


async def test_a_program_with_addresses_from_the_root_has_a_host_of_its_own(tmp_path: Path) -> None:
    preset = {"name": OPTUNA_DASHBOARD.name, "command": list(OPTUNA_DASHBOARD.command)}
    image = an_image(tmp_path)
    async with an_app_tab(tmp_path, leave_journal, image, served_at=ServedAt.HOST, **preset) as tab:
        address = URL(await tab.open())
        assert address.host == f"{tab.started.session.pk}.localhost"

        page = await wait_until_async(lambda: tab.read(str(address)), within_s=3 * PATIENCE_S)

        assert "/static/bundle.js" in page
        storage = await tab.read(str(address.with_path("/api/studies")))
        assert storage is not None
        assert storage.endswith("/optuna.journal")
        async with tab.client.get(address.with_host("localhost")) as elsewhere:
            assert elsewhere.status == 404
