"""Queries a JupyterLab's kernels and terminals through its REST API, and shuts kernels down."""

import asyncio
import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

import aiohttp

from nodeagent.disk.container_dir import AppEndpoint
from nodeagent.host.cgroups import PROC
from nodeagent.idle.activity import JupyterActivity

ANSWER_S: Final = 5.0
ANSWER_MAX: Final = 1024 * 1024
"""Maximum size in bytes of a list of kernels or terminals: enough for thousands."""
CONNECTION_FILE: Final = re.compile(rb"kernel-([0-9a-f-]{36})\.json")
"""Part of the command line of every kernel."""
PARENTS_MAX: Final = 16
WORKING: Final = frozenset({"busy", "starting", "restarting"})


class JupyterUnavailableError(Exception):
    """JupyterLab did not answer, or not as expected: its state is unknown."""


async def read_activity(endpoint: AppEndpoint) -> JupyterActivity:
    """Return its current activity; raises `JupyterUnavailableError`."""
    async with _session(endpoint) as session:
        kernels, terminals = await asyncio.gather(
            _get_list(session, endpoint, "kernels"), _get_list(session, endpoint, "terminals")
        )
    return JupyterActivity(
        is_busy=any(item.get("execution_state") in WORKING for item in kernels),
        kernels=_activity_versions(kernels, "id"),
        terminals=_activity_versions(terminals, "name"),
    )


async def list_kernels(endpoint: AppEndpoint) -> tuple[str, ...]:
    """Return its kernels; raises `JupyterUnavailableError`."""
    async with _session(endpoint) as session:
        return tuple(str(item.get("id")) for item in await _get_list(session, endpoint, "kernels"))


async def shut_down_kernels(endpoint: AppEndpoint, ids: Collection[str]) -> None:
    """Shut kernels down without a restart; raises `JupyterUnavailableError`."""
    async with _session(endpoint) as session:
        for name in ids:
            try:
                async with session.delete(_url(endpoint, f"kernels/{name}")) as answer:
                    if answer.status not in (204, 404):
                        raise JupyterUnavailableError(
                            f"kernel {name} was not ended: {answer.status}"
                        )
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                raise JupyterUnavailableError(repr(error)) from error


def _session(endpoint: AppEndpoint) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        headers={"Authorization": f"token {endpoint.token}"},
        timeout=aiohttp.ClientTimeout(total=ANSWER_S),
    )


def _url(endpoint: AppEndpoint, path: str) -> str:
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    return f"http://{host}:{endpoint.port}{endpoint.base_path.rstrip('/')}/api/{path}"


async def _get_list(
    session: aiohttp.ClientSession, endpoint: AppEndpoint, path: str
) -> list[dict[str, Any]]:
    """Return a list of objects; empty from a server that has terminals disabled."""
    try:
        async with session.get(_url(endpoint, path), allow_redirects=False) as answer:
            if answer.status == 404:
                return []
            if answer.status != 200:
                raise JupyterUnavailableError(f"{path}: {answer.status}")
            found = json.loads(await _read_body(answer, path))
    except (aiohttp.ClientError, OSError, ValueError, RecursionError) as error:
        raise JupyterUnavailableError(repr(error)) from error
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise JupyterUnavailableError(f"{path}: not a list")
    return found


async def _read_body(answer: aiohttp.ClientResponse, path: str) -> bytes:
    """Read an answer up to a size limit: the server is the user's program and may send anything."""
    body = b""
    async for part in answer.content.iter_chunked(ANSWER_MAX):
        body += part
        if len(body) > ANSWER_MAX:
            raise JupyterUnavailableError(f"{path}: an answer without end")
    return body


def _activity_versions(items: Collection[dict[str, Any]], name: str) -> str:
    """Return a value per item that changes with its activity."""
    return " ".join(sorted(f"{item.get(name)}@{item.get('last_activity')}" for item in items))


def find_kernel(pid: int, proc: Path = PROC) -> str | None:
    """Return the kernel that a process is or descends from; None if there is none."""
    for _ in range(PARENTS_MAX):
        if pid <= 1:
            return None
        try:
            found = CONNECTION_FILE.search((proc / str(pid) / "cmdline").read_bytes())
            stat = (proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        if found:
            return found[1].decode()
        pid = int(stat.rpartition(")")[2].split()[1])
    return None
