"""Entry of the live process: `python -m portal.config.live [--host H --portal-port N --apps-port N --stays-s S]`.

One process, one event loop, two listening sockets. SIGTERM and SIGINT end it: proxies are answered so and
get time to notice, then sockets are closed with 1012, and running requests get a few seconds.
"""

import argparse
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from ipaddress import ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from uvicorn.importer import import_from_string

from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.types import App
from portal.config.departure import Departure, LeavingServer
from portal.config.env import Env
from portal.gateway.server_protocol import ServerConfig, ServerLimits

STOP_WITHIN_S: Final = 5
"""How long open connections may take to end when the process stops."""
KEEP_ALIVE_S: Final = 15
"""How long an idle HTTP connection is kept."""
WEBSOCKET_MESSAGE_MAX: Final = 64 * 1024 * 1024
"""For notebooks; pages and nodes have far smaller limits of their own."""
BACKLOG: Final = 2048
LOOPBACK: Final = ("127.0.0.0/8", "::1/128")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def main(arguments: list[str] | None = None) -> int:
    """Serve until a signal; return the exit status."""
    options = _parser(Env()).parse_args(arguments)
    try:
        sockets = [_listen(options.host, port) for port in (options.portal_port, options.apps_port)]
    except OSError as error:
        print(f"live: {error}", file=sys.stderr)  # noqa: T201 - for the user of the command line
        return 1
    # The application is imported later, and reads it from there.
    os.environ.setdefault("BERTH_LIVE_URL", find_own_url(options.host, options.portal_port))
    departure = Departure(import_from_string("portal.config.asgi:application"))
    config = build_server_config(departure, _limits(Env()), Env().trusted_proxies)
    server = LeavingServer(config, departure, options.stays_s)
    allow_descriptors()
    # uvicorn raises the signal that ended it once more after the clean stop.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        server.run(sockets)
    return 0 if server.started else 1


def build_server_config(app: App, limits: ServerLimits, trusted_proxies: str = "") -> ServerConfig:
    """Return the server's configuration; tests serve single applications with it.

    The client's address is taken from `X-Forwarded-For` of trusted proxies only.
    """
    return ServerConfig(
        app,
        limits,
        lifespan="on",
        ws_max_size=WEBSOCKET_MESSAGE_MAX,
        ws_per_message_deflate=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=STOP_WITHIN_S,
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=trusted_proxies,
        server_header=False,
        access_log=False,
        log_config=None,
    )


def _parser(env: Env) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m portal.config.live")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--portal-port", type=int, default=find_port(env.portal_url))
    parser.add_argument("--apps-port", type=int, default=find_port(env.apps_url))
    parser.add_argument(
        "--stays-s", type=float, default=0.0, help="serve on so long after SIGTERM, behind a proxy"
    )
    return parser


def _limits(env: Env) -> ServerLimits:
    """Return the limits of this installation; connections of proxies are not counted as theirs."""
    proxies = [*LOOPBACK, *filter(None, env.trusted_proxies.split(","))]
    return ServerLimits(
        addresses=ConnectionLimiter(env.connections_per_address_max),
        proxies=tuple(ip_network(each) for each in proxies),
    )


def allow_descriptors() -> None:
    """Raise the soft limit of open descriptors, often 1,024, to the hard one: each socket is one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def find_own_url(host: str, port: int) -> str:
    """Return where other processes find this one; on all addresses, by the name of its host."""
    with suppress(ValueError):  # a name
        if ip_address(host).is_unspecified:
            return f"http://{socket.gethostname()}:{port}"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def find_port(url: str) -> int:
    """Return the port of an origin."""
    parts = urlsplit(url)
    return parts.port or _DEFAULT_PORTS[parts.scheme]


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(error.errno, f"cannot listen on {host}:{port}: {error.strerror}") from error
    listener.listen(BACKLOG)
    return listener


if __name__ == "__main__":
    sys.exit(main())
