"""The processes of the platform: `berth-server run` becomes one, `berth-server healthy` asks one.

Health is asked without Django: twice a minute it would cost more than some of them.
"""

import os
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from pkgutil import resolve_name
from typing import Final
from urllib.parse import urlsplit

from celery import Celery
from kombu.exceptions import OperationalError

from portal.config.env import Env

WEB_PORT: Final = 8002
PORTAL_PORT: Final = 8000
APPS_PORT: Final = 8001
INFERENCE_PORT: Final = 8003
"""Where the processes listen in a container; the host publishes them elsewhere."""
LIVE_STAYS_S: Final = 5
"""How long live serves on after the signal to end: Caddy asks each second, and twice before it believes."""
ANSWER_S: Final = 10
"""How long a process has to answer; a busy one is slow."""
BEAT_AGE_S: Final = 60
"""A beat that has not looked at its timetable for so long hangs: something is due every five seconds."""
NAMES: Final = ("web", "live", "inference", "scheduler", "worker", "beat")
_HEALTH: Final = {
    "web": (WEB_PORT, "/livez"),
    "live": (PORTAL_PORT, "/livez"),
    "inference": (INFERENCE_PORT, "/healthz"),
}
_QUEUES: Final = {"scheduler": ("scheduler", 1), "worker": ("maintenance", 2)}


def run(name: str, host: str) -> int:
    """Become a process of the platform, which listens on an address; return its exit status."""
    target, arguments = command_of(name, host)
    sys.argv = [name, *arguments]
    return int(resolve_name(target)() or 0)


def command_of(name: str, host: str) -> tuple[str, Sequence[str]]:
    """Return the function that is a process, as `module:name`, and its arguments."""
    if name == "web":
        bind = f"{host}:{WEB_PORT}"
        return "gunicorn.app.wsgiapp:run", ("-c", "python:portal.config.web", "--bind", bind)
    if name == "live":
        ports = ("--portal-port", str(PORTAL_PORT), "--apps-port", str(APPS_PORT))
        return "portal.config.live:main", ("--host", host, *ports, "--stays-s", str(LIVE_STAYS_S))
    if name == "inference":
        ports = ("--host", host, "--port", str(INFERENCE_PORT))
        return "portal.config.inference:main", ports
    celery = ("-A", "portal.config.celery")
    if name == "beat":
        return "celery.__main__:main", (*celery, "beat", "--pidfile=")
    queue, count = _QUEUES[name]
    more = ("-Q", queue, "-c", str(count), "-n", f"{name}@%h")
    return "celery.__main__:main", (*celery, "worker", *more)


def is_healthy(name: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a process of this container does its work: it answers, or the beat beats."""
    if name == "live":
        # It answers to the names of its origins alone.
        return answers(*_HEALTH[name], urlsplit(environment["BERTH_PORTAL_URL"]).netloc)
    if name in _HEALTH:
        return answers(*_HEALTH[name])
    if name == "beat":
        return is_beating(Path(environment["BERTH_BEAT_FILE"]), time.time())
    return is_consuming(Env().broker_url, f"{name}@{socket.gethostname()}")


def answers(port: int, path: str, host: str = "127.0.0.1") -> bool:
    """Return whether a process of this machine answers to a name."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=ANSWER_S)) as connection:
        try:
            connection.request("GET", path, headers={"Host": host})
            return connection.getresponse().status < 400
        except (OSError, HTTPException):
            return False


def is_beating(file: Path, now_s: float) -> bool:
    """Return whether the beat has looked at its timetable within the last minute."""
    try:
        return now_s - file.stat().st_mtime < BEAT_AGE_S
    except FileNotFoundError:
        return False


def is_consuming(broker_url: str, worker: str) -> bool:
    """Return whether a worker answers on the broker."""
    with Celery(broker=broker_url, set_as_current=False) as app:
        try:
            return bool(app.control.ping([worker], timeout=ANSWER_S))
        except (OperationalError, OSError):
            return False
