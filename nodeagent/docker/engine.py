"""Calls to the Docker engine: in threads, each with a deadline, never for ever."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from functools import cached_property
from typing import Final, TypeVar

import docker
import requests
from docker.errors import APIError, DockerException

from nodeagent.ports import RuntimeUnavailableError
from nodeagent.threads import in_daemon_thread

T = TypeVar("T")

CALL_S: Final = 15
PATIENCE_S: Final = 24 * 3600
CALLS_MAX: Final = 16
"""At the same time; an engine that hangs is not buried under more calls."""


class Engine:
    """One engine at one address; the SDK's client is safe to share between threads."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._slots = asyncio.Semaphore(CALLS_MAX)

    @cached_property
    def client(self) -> docker.DockerClient:
        """The client for calls that answer at once; opened by the first of them."""
        return connect(self._host, CALL_S)

    @cached_property
    def patient(self) -> docker.DockerClient:
        """The client for answers that take long: pulls, stops, logs of living containers."""
        return connect(self._host, PATIENCE_S)

    def close(self) -> None:
        """Close what was opened; a later call opens it again."""
        for name in ("client", "patient"):
            opened = self.__dict__.pop(name, None)
            if opened is not None:
                opened.close()

    async def call(self, work: Callable[[], T], deadline_s: float = CALL_S) -> T:
        """Run a call of the SDK; raises its `APIError`, or `RuntimeUnavailableError`."""
        try:
            async with asyncio.timeout(deadline_s), self._slots:
                return await in_daemon_thread(work, "docker")
        except APIError:
            raise
        except (TimeoutError, requests.RequestException, DockerException, OSError) as error:
            raise RuntimeUnavailableError(f"engine at {self._host}: {error!r}") from error


def connect(host: str, timeout_s: int) -> docker.DockerClient:
    """Return a client of an engine that answers; without a host, the environment names it."""
    if host:
        return docker.DockerClient(base_url=host, timeout=timeout_s, version="auto")
    return docker.from_env(timeout=timeout_s, version="auto")


def answers(host: str) -> bool:
    """Tell whether an engine answers at all."""
    try:
        with closing(connect(host, CALL_S)) as client:
            return bool(client.ping())
    except (requests.RequestException, DockerException, OSError):
        return False
