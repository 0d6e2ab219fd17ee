"""An upstream that tells what reached it, and misbehaves on request."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import ClientSession, WSMsgType, web

from portal.endpoints.values import ContainerAddress
from tests.serving import free_socket, port_of


async def no_ports(container: ContainerAddress, port: int) -> ClientSession:
    """Stand where tunnels are dug; nobody asks for one."""
    raise AssertionError(f"port {port} of {container}")


class FakeUpstream:
    """A web server on a free port."""

    def __init__(self) -> None:
        self.port = 0
        self.served = 0
        self.release = asyncio.Event()
        self.has_lost_client = asyncio.Event()
        self.sockets: list[web.WebSocketResponse] = []

    async def echo(self, request: web.Request) -> web.StreamResponse:
        """Tell method, target, headers and body exactly as they came."""
        self.served += 1
        body = await request.read()
        headers = [[name.decode(), value.decode()] for name, value in request.raw_headers]
        return web.json_response(
            {
                "method": request.method,
                "target": request.raw_path,
                "headers": headers,
                "body": body.decode("latin-1"),
            }
        )

    async def big(self, request: web.Request) -> web.StreamResponse:
        """Send as many MiB as the query says."""
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(int(request.query["mib"])):
            await response.write(b"x" * 1024 * 1024)
        return response

    async def slow(self, request: web.Request) -> web.StreamResponse:
        """Send one piece, and the next only when the test says so."""
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"first")
        try:
            await self.release.wait()
            await response.write(b"second")
        except asyncio.CancelledError:
            self.has_lost_client.set()
            raise
        return response

    async def upload(self, request: web.Request) -> web.StreamResponse:
        """Count the bytes of a body without keeping them."""
        size = 0
        async for chunk in request.content.iter_any():
            size += len(chunk)
        return web.json_response({"size": size})

    async def cookies(self, request: web.Request) -> web.StreamResponse:
        """Set cookies that a notebook must not set, and headers that it must not send."""
        response = web.Response(text="ok")
        for value in (
            "_xsrf=abc; Path=/; Domain=example.org; Secure",
            "berth-session=stolen; Path=/",
            "username-8888=me; HttpOnly; Path=/e/other/",
        ):
            response.headers.add("Set-Cookie", value)
        response.headers["Clear-Site-Data"] = '"cookies"'
        response.headers["Service-Worker-Allowed"] = "/"
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["X-Own"] = "kept"
        return response

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer with the status and the headers that the query says."""
        asked = [(name, value) for name, value in request.query.items() if name != "status"]
        response = web.Response(status=int(request.query.get("status", "200")))
        for name, value in asked:
            response.headers.add(name, value)
        return response

    async def redirect(self, request: web.Request) -> web.StreamResponse:
        """Lead to wherever the query says."""
        return web.Response(status=302, headers={"Location": request.query["to"]})

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """Echo messages; `close` closes with code 4321, `headers` tells the handshake."""
        socket = web.WebSocketResponse(
            protocols=["v1.kernel.websocket.jupyter.org"], max_msg_size=0
        )
        await socket.prepare(request)
        self.sockets.append(socket)
        async for message in socket:
            if message.type is WSMsgType.BINARY:
                await socket.send_bytes(message.data)
            elif message.data == "close":
                await socket.close(code=4321)
            elif message.data == "headers":
                await socket.send_json(dict(request.headers))
            else:
                await socket.send_str(message.data)
        return socket


@asynccontextmanager
async def fake_upstream() -> AsyncIterator[FakeUpstream]:
    """Run the upstream for the length of the block."""
    upstream = FakeUpstream()
    app = web.Application(client_max_size=2**30, handler_args={"handler_cancellation": True})
    for name in ("big", "slow", "upload", "cookies", "answer", "redirect", "socket"):
        app.router.add_route("*", f"/{{base:.*}}{name}", getattr(upstream, name))
    app.router.add_route("*", "/{rest:.*}", upstream.echo)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    listener = free_socket()
    upstream.port = port_of(listener)
    await web.SockSite(runner, listener).start()
    try:
        yield upstream
    finally:
        await runner.cleanup()
