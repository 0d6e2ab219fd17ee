"""Serves `GET /metrics` of this node, on loopback unless configured otherwise."""

import asyncio
from typing import Final

import structlog
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry

from nodeagent.telemetry.exposition import render_metrics

log = structlog.get_logger()

PATH: Final = "/metrics"


class MetricsServer:
    """Serves the newest metrics. `run` fails if the port is taken; its caller retries."""

    def __init__(self, registry: CollectorRegistry, address: str, port: int) -> None:
        self._registry = registry
        self._address = address
        self._port = port

    async def run(self) -> None:
        """Serve until cancelled. Raises `OSError` if the port is taken."""
        app = web.Application()
        app.router.add_get(PATH, self._answer)
        runner = web.AppRunner(app, access_log=None, handle_signals=False)
        await runner.setup()
        try:
            site = web.TCPSite(runner, self._address, self._port)
            await site.start()
            self._port = runner.addresses[0][1]
            log.info("metrics.listening", address=self._address, port=self._port)
            await asyncio.get_running_loop().create_future()
        finally:
            await runner.cleanup()

    @property
    def port(self) -> int:
        """Return the port it listens on; before that, the configured one."""
        return self._port

    async def _answer(self, _request: web.Request) -> web.Response:
        text = render_metrics(self._registry)
        return web.Response(body=text, headers={"Content-Type": CONTENT_TYPE_LATEST})
