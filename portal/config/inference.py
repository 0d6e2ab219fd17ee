"""Entry of the inference gateway: `python -m portal.config.inference [--host H --port N]`.

One process, one event loop, one listening socket: one that it was handed (`LISTEN_FDS`, as systemd does),
else one of its own, which other processes of the gateway may share by `SO_REUSEPORT`. At SIGTERM it
accepts no more and ends when the last answer has, within `--drain-s`.
"""

import argparse
import asyncio
import os
import signal
import socket
import sys
from contextlib import suppress
from ipaddress import ip_network
from typing import Final, Protocol

import django
import uvicorn
from django.utils.module_loading import import_string
from typing_extensions import override

from portal.config.env import Env
from portal.config.garbage import spare_loaded
from portal.config.live import BACKLOG, allow_descriptors, find_own_url, find_port
from portal.gateway.server_protocol import ServerConfig, ServerLimits

DRAIN_S: Final = 300
"""How long open requests may continue after SIGTERM, unless the command line says otherwise."""
LAST_REQUESTS_S: Final = 2.0
"""How long idle connections are kept then: a request on its way is answered, as the last of its connection."""
CUT_WITHIN_S: Final = 5
"""How long the last events may take to reach those who were cut."""
KEEP_ALIVE_S: Final = 75
"""How long an idle connection is kept: longer than the pools of common clients keep theirs."""
_LOOK_EVERY_S: Final = 0.02
_FIRST_HANDED: Final = 3
"""Descriptor of the first socket that a process is handed."""
_ANYWHERE: Final = (ip_network("0.0.0.0/0"), ip_network("::/0"))


class Drains(Protocol):
    """An application that can be ended without a request lost."""

    def start_draining(self) -> None:
        """Make each answer the last of its connection."""

    def cut_open(self) -> None:
        """End what is open."""


def main(arguments: list[str] | None = None) -> int:
    """Serve until a signal; return the exit status."""
    options = _parser(Env()).parse_args(arguments)
    try:
        listener = take_handed() or listen_shared(options.host, options.port)
    except OSError as error:
        sys.stderr.write(f"inference: {error}\n")
        return 1
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.config.settings.base")
    os.environ.setdefault("BERTH_LIVE_URL", find_own_url(options.host, listener.getsockname()[1]))
    django.setup()
    # By name, because models may be imported only after the set-up above.
    application = import_string("portal.config.inference_process.InferenceProcess").load()
    return serve(application, listener, options.drain_s)


def serve(application: "Drains", listener: socket.socket, drain_s: float) -> int:
    """Serve an application until a signal; return the exit status."""
    server = DrainingServer(build_config(application), application, drain_s)
    spare_loaded()
    allow_descriptors()
    # uvicorn raises the signal that ended it once more after the clean stop.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        server.run([listener])
    return 0 if server.started else 1


def build_config(app: object, limits: ServerLimits | None = None) -> ServerConfig:
    """Return the server's configuration; programs come from few addresses, which are not limited."""
    return ServerConfig(
        app,
        limits or ServerLimits(proxies=_ANYWHERE),
        lifespan="on",
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=CUT_WITHIN_S,
        backlog=BACKLOG,
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
    )


class DrainingServer(uvicorn.Server):
    """A server that ends without a request lost."""

    def __init__(self, config: ServerConfig, app: Drains, drain_s: float) -> None:
        """Serve an application that can be drained."""
        super().__init__(config)
        self._app = app
        self._drain_s = drain_s

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more; wait for the open requests; cut what is left with its reason."""
        self._app.start_draining()
        for server in self.servers:
            server.close()
        await self._until_closed(LAST_REQUESTS_S)
        for connection in list(self.server_state.connections):
            connection.shutdown()
        if not await self._until_closed(self._drain_s):
            self._app.cut_open()
        await super().shutdown(sockets)

    async def _until_closed(self, within_s: float) -> bool:
        """Return whether all connections end in time."""
        for _ in range(round(within_s / _LOOK_EVERY_S)):
            if not self.server_state.connections or self.force_exit:
                return True
            await asyncio.sleep(_LOOK_EVERY_S)
        return False


def take_handed() -> socket.socket | None:
    """Return the listening socket that this process was started with; None without one."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or not os.environ.get("LISTEN_FDS"):
        return None
    return socket.socket(fileno=_FIRST_HANDED)


def listen_shared(host: str, port: int) -> socket.socket:
    """Return a listening socket of a port that other processes of this user may listen on, too."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(error.errno, f"cannot listen on {host}:{port}: {error.strerror}") from error
    listener.listen(BACKLOG)
    return listener


def _parser(env: Env) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m portal.config.inference")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=find_port(env.inference_url))
    parser.add_argument("--drain-s", type=float, default=DRAIN_S, help="for open requests")
    return parser


if __name__ == "__main__":
    sys.exit(main())
