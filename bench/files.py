"""`make bench-files`: uploads and downloads through the platform beside a bare server, in one run.

The bare server is the same HTTP server with an application of a few lines: it writes a body to a file, or
pipes it into `tar`, durably; no sign-in, no rights, no names, nothing that could be continued. What the
platform adds to it is what is bounded; `cp` stands there for orientation. Clients are the same on both
sides: `tar` and `curl` for the small files.
"""

import asyncio
import base64
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any, Final

import aiohttp

from bench.figures import Figure, bounded, ratio, table, write_json
from bench.visitor import Visitor, signed_in
from deploy.onebox.options import REPOSITORY
from portal.common.asgi.types import Receive, Scope, Send, send_response
from tests import launcher
from tests.serving import free_socket, serving, url_of

RESULT: Final = REPOSITORY / "var" / "bench-files.json"
FILES: Final = 10_000
SMALL: Final = 4096
SMALL_ROUNDS: Final = 9
LARGE_ROUNDS: Final = 3
"""Times that the files go each way; the median counts, and a fetch of the small ones is short."""
LARGE: Final = 2 * 1024**3
PIECE: Final = 1024 * 1024
IMAGE: Final = 20 * 1024**3
"""Bytes of the file system; what is not written takes no space."""
RATIO_MAX: Final = 1.5
LISTED: Final = 200
"""Entries of a folder that the page asks for at first."""
LIST_MS_MAX: Final = 200.0


@dataclass(frozen=True, slots=True)
class BareServer:
    """Writes the body of each request to a file or unpacks it, durably; sends a folder back."""

    folder: Path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one file or archive, or send one."""
        name = scope["path"].rpartition("/")[2]
        if scope["method"] == "GET":
            await self._send_folder(name, send)
            return
        if scope["query_string"] == b"unpack":
            await self._unpack(name, receive)
        else:
            await self._write(name, receive)
        await send_response(scope, send, 204, [])

    async def _write(self, name: str, receive: Receive) -> None:
        # As an upload does: what has that name stays until all has come, so both take new memory.
        unfinished = self.folder / f"{name}.unfinished"
        with unfinished.open("wb") as file:
            async for data in _body(receive):
                file.write(data)
            file.flush()
            await asyncio.to_thread(os.fsync, file.fileno())
        unfinished.rename(self.folder / name)

    async def _unpack(self, name: str, receive: Receive) -> None:
        target = self.folder / name
        await asyncio.to_thread(target.mkdir)
        tar = await asyncio.create_subprocess_exec("tar", "-xf", "-", "-C", target, stdin=PIPE)
        async for data in _body(receive):
            tar.stdin.write(data)  # type: ignore[union-attr]  # it is a pipe
            await tar.stdin.drain()  # type: ignore[union-attr]
        tar.stdin.close()  # type: ignore[union-attr]
        await tar.wait()
        await (await asyncio.create_subprocess_exec("sync", "-f", target)).wait()

    async def _send_folder(self, name: str, send: Send) -> None:
        tar = await asyncio.create_subprocess_exec(
            "tar", "-cf", "-", "-C", self.folder / name, ".", stdout=PIPE
        )
        await send({"type": "http.response.start", "status": 200, "headers": []})
        data = b"-"
        while data:
            data = await tar.stdout.read(PIECE)  # type: ignore[union-attr]
            await send({"type": "http.response.body", "body": data, "more_body": bool(data)})
        await tar.wait()


@dataclass(frozen=True, slots=True)
class Uploader:
    """Sends files to the home of a signed-in person."""

    visitor: Visitor
    volume: str

    async def send(self, path: str, source: Path, *, breaks_at: int = 0) -> None:
        """Upload a file; the connection breaks once at `breaks_at`, and the upload is continued."""
        length = _size(source)
        path, replace = (base64.b64encode(text.encode()).decode() for text in (path, "true"))
        described = f"path {path},replace {replace}"
        headers = {"Upload-Length": str(length), "Upload-Metadata": described}
        address = f"/api/v1/volumes/{self.volume}/uploads"
        location = (await self._request("POST", address, headers, None))["Location"]
        if breaks_at:
            await self._break(location, source, breaks_at)
        while not await self._is_continued(location, source, length):
            pass

    async def _is_continued(self, location: str, source: Path, length: int) -> bool:
        """Send the rest; False when the broken connection's last bytes arrived after the question.

        The refusal may end the connection before all is sent, and is then not read.
        """
        offset = int((await self._request("HEAD", location, {}, None))["Upload-Offset"])
        body = _pieces(source, offset, length)
        try:
            await self._request("PATCH", location, {"Upload-Offset": str(offset)}, body)
        except aiohttp.ClientConnectionError:
            return False
        except RuntimeError as refused:
            if HTTPStatus.CONFLICT not in refused.args:
                raise
            return False
        return True

    async def _break(self, location: str, source: Path, stop: int) -> None:
        """Send the beginning and drop the connection."""
        sent = asyncio.Event()

        async def body() -> AsyncIterator[bytes]:
            async for piece in _pieces(source, 0, stop):
                yield piece
            sent.set()
            await asyncio.Event().wait()

        sending = asyncio.create_task(
            self._request("PATCH", location, {"Upload-Offset": "0"}, body())
        )
        await asyncio.wait(
            [sending, asyncio.create_task(sent.wait())], return_when="FIRST_COMPLETED"
        )
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)

    async def _request(self, method: str, address: str, headers: dict[str, str], data: Any) -> Any:
        sent = {"Tus-Resumable": "1.0.0", "Origin": self.visitor.url, **headers}
        if data is not None:
            sent["Content-Type"] = "application/offset+octet-stream"
        async with self.visitor.http.request(
            method, f"{self.visitor.url}{address}", headers=sent, data=data
        ) as answer:
            text = await answer.text()
            if not answer.ok:
                raise RuntimeError(method, address, answer.status, text)
            return answer.headers


@contextmanager
def _fresh_file_system() -> Iterator[None]:
    """Let all of it lie on an ext4 that nothing was removed from yet, where root can mount one.

    On any other, what earlier tests removed decides how long 10,000 new files take. It is mounted as
    the guide for administrators says.
    """
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="berth-") as place:
        image, folder = Path(place) / "image", Path(place) / "mounted"
        folder.mkdir()
        with image.open("wb") as file:
            file.truncate(IMAGE)
        subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
        subprocess.run(["mount", "-o", "loop,nosuid,nodev", image, folder], check=True)
        tempfile.tempdir = str(folder)
        try:
            yield
        finally:
            tempfile.tempdir = None
            subprocess.run(["umount", "--lazy", folder], check=True)


def main() -> int:
    """Start a platform, measure, print; 1 when a promise is not kept."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with (
        _fresh_file_system(),
        launcher.running("bench-files", "--runtime", "process") as launched,
    ):
        folder = launched.data_dir / "bench-files"
        folder.mkdir()
        figures = asyncio.run(_measure(folder, launched.demo))
        write_json(figures, RESULT)
        print(f"\n{table(figures)}\n\nalso in {RESULT}", flush=True)
        shutil.rmtree(folder)
    return int(not all(figure.is_met for figure in figures))


async def _measure(folder: Path, demo: Any) -> list[Figure]:
    small, large = folder / "small", folder / "large.bin"
    small.mkdir()
    for number in range(FILES):
        (small / f"{number:05}").write_bytes(os.urandom(SMALL))
    digest = _fill(large, LARGE)
    async with signed_in(demo, 0) as visitor, _bare(folder / "bare") as bare:
        home = await visitor.call("POST", "/api/v1/volumes/home")
        many = await _small_files(visitor, home["id"], bare, small)
        uploader = Uploader(visitor, home["id"])
        copied: list[float] = []
        plain: list[float] = []
        ours: list[float] = []
        for _ in range(LARGE_ROUNDS):
            copied.append(await _timed(asyncio.to_thread(_copy, large, folder / "large.copy")))
            plain.append(await _timed(_put(bare, large)))
            ours.append(await _timed(uploader.send("large.bin", large, breaks_at=LARGE // 2)))
        got = await _download(visitor, home["id"], "large.bin")
    if got != digest:
        raise RuntimeError("the uploaded file is another")
    return [
        *many,
        _beside("cp of 2 GiB", median(copied)),
        ratio("2 GiB, broken once, checksum equal", "s", plain, ours, RATIO_MAX),
    ]


async def _small_files(visitor: Visitor, volume: str, bare: str, small: Path) -> list[Figure]:
    """Send and fetch the small files, in turns with the bare server."""
    body = {"name": "bench-files", "scopes": ["volume.read", "volume.write"], "expires_in_days": 1}
    token = (await visitor.call("POST", "/api/v1/tokens", body))["token"]
    archive = f"{visitor.url}/api/v1/volumes/{volume}/archive"
    signed = f"-H 'Authorization: Bearer {token}'"
    packed = f"tar -cf - -C {small} . | curl -sf -T -"
    copied: list[float] = []
    plain: list[float] = []
    ours: list[float] = []
    plain_back: list[float] = []
    ours_back: list[float] = []
    zipped: list[float] = []
    for turn in range(SMALL_ROUNDS):
        copied.append(await _ran(f"cp -r {small} {small}.{turn} && sync -f {small}.{turn}"))
        plain.append(await _ran(f"{packed} '{bare}/{turn}?unpack'"))
        ours.append(await _ran(f"{packed} {signed} '{archive}?path={turn}' -o /dev/null"))
        plain_back.append(await _ran(f"curl -sf -o {small}.tar '{bare}/{turn}'"))
        fetched = f"curl -sf -o {small}.got {signed} '{archive}?path={turn}"
        ours_back.append(await _ran(f"{fetched}&format=tar'"))
        zipped.append(await _ran(f"{fetched}'"))
    listing = f"/api/v1/volumes/{volume}/files?path=0&limit={LISTED}"
    listed = [1000 * await _timed(visitor.call("GET", listing)) for _ in range(30)]
    return [
        _beside(f"cp -r and sync of {FILES} files", median(copied)),
        ratio(f"{FILES} files of {SMALL} bytes in one request", "s", plain, ours, RATIO_MAX),
        ratio(f"{FILES} files as one tar", "s", plain_back, ours_back, RATIO_MAX),
        _beside(f"{FILES} files as one zip", median(zipped)),
        bounded(f"the first {LISTED} of {FILES} files, p95", "ms", listed, LIST_MS_MAX),
    ]


async def _ran(line: str) -> float:
    """Return how long a line of the shell took, all of its parts without fault."""
    began = monotonic()
    shell = await asyncio.create_subprocess_exec("bash", "-o", "pipefail", "-c", line)
    if await shell.wait():
        raise RuntimeError(line)
    return monotonic() - began


@asynccontextmanager
async def _bare(folder: Path) -> AsyncIterator[str]:
    _make(folder)
    listener: socket.socket = free_socket()
    async with serving(BareServer(folder), listener):
        yield url_of(listener)


async def _put(bare: str, source: Path) -> None:
    body = _pieces(source, 0, _size(source))
    async with (
        aiohttp.ClientSession() as http,
        http.put(f"{bare}/{source.name}", data=body) as answer,
    ):
        answer.raise_for_status()


async def _body(receive: Receive) -> AsyncIterator[bytes]:
    has_more = True
    while has_more:
        message = await receive()
        has_more = message.get("more_body", False)
        yield message.get("body", b"")


async def _timed(what: Awaitable[Any]) -> float:
    began = monotonic()
    await what
    return monotonic() - began


async def _pieces(source: Path, start: int, stop: int) -> AsyncIterator[bytes]:
    with source.open("rb") as file:
        file.seek(start)
        while start < stop:
            data = file.read(min(PIECE, stop - start))
            start += len(data)
            yield data


async def _download(visitor: Visitor, volume: str, path: str) -> str:
    digest = hashlib.sha256()
    address = f"{visitor.url}/api/v1/volumes/{volume}/content?path={path}"
    async with visitor.http.get(address) as answer:
        answer.raise_for_status()
        async for data in answer.content.iter_chunked(PIECE):
            digest.update(data)
    return digest.hexdigest()


def _beside(name: str, seconds: float) -> Figure:
    """Return a line without a limit."""
    return Figure(name, "s", None, seconds, 0.0, 0.0)


def _size(path: Path) -> int:
    return path.stat().st_size


def _make(folder: Path) -> None:
    folder.mkdir()


def _fill(path: Path, size: int) -> str:
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for _ in range(size // PIECE):
            data = os.urandom(PIECE)
            digest.update(data)
            file.write(data)
    return digest.hexdigest()


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)
    with target.open("rb") as file:
        os.fsync(file.fileno())


if __name__ == "__main__":
    sys.exit(main())
