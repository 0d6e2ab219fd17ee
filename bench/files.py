"""`make bench-files`: uploads through the platform beside a bare server and plain `cp`, in one run.

The bare server is the same HTTP server with an application of a few lines that writes a body to a
file: no sign-in, no rights, no names, nothing that could be continued. What the platform adds to it is
what is bounded; `cp` stands there for orientation.
"""

import asyncio
import base64
import hashlib
import io
import os
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from time import monotonic
from typing import Any, Final

import aiohttp

from bench.figures import Figure, ratio, table, write_json
from bench.visitor import Visitor, signed_in
from deploy.onebox.options import REPOSITORY
from portal.common.asgi import Receive, Scope, Send, send_response
from tests import launcher
from tests.serving import free_socket, serving, url_of

RESULT: Final = REPOSITORY / "var" / "bench-files.json"
FILES: Final = 10_000
SMALL: Final = 4096
AT_ONCE: Final = 8
LARGE: Final = 2 * 1024**3
PIECE: Final = 1024 * 1024
LARGE_RATIO_MAX: Final = 1.5
SMALL_RATIO_MAX: Final = 10.0
"""Each small file is a request with its rights, an entry and its rename; the bare server has none."""


@dataclass(frozen=True, slots=True)
class BareServer:
    """Writes the body of each request to a file, durably, and nothing else."""

    folder: Path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one file."""
        with (self.folder / scope["path"].rpartition("/")[2]).open("wb") as file:
            while True:
                message = await receive()
                file.write(message.get("body", b""))
                if not message.get("more_body"):
                    break
            file.flush()
            await asyncio.to_thread(os.fsync, file.fileno())
        await send_response(scope, send, 204, [])


@dataclass(frozen=True, slots=True)
class Uploader:
    """Sends files to the home of a signed-in person."""

    visitor: Visitor
    volume: str

    async def send(self, path: str, source: Path, *, breaks_at: int = 0) -> None:
        """Upload a file; the connection breaks once at `breaks_at`, and the upload is continued."""
        length = _size(source)
        named = base64.b64encode(path.encode()).decode()
        headers = {"Upload-Length": str(length), "Upload-Metadata": f"path {named}"}
        address = f"/api/v1/volumes/{self.volume}/uploads"
        if length <= SMALL:
            data = io.BytesIO(_read(source))
            await self._request("POST", address, headers, data)
            return
        location = (await self._request("POST", address, headers, None))["Location"]
        if breaks_at:
            await self._break(location, source, breaks_at)
        while not await self._is_continued(location, source, length):
            pass

    async def _is_continued(self, location: str, source: Path, length: int) -> bool:
        """Send the rest; False when the broken connection's last bytes arrived after the question."""
        offset = int((await self._request("HEAD", location, {}, None))["Upload-Offset"])
        body = _pieces(source, offset, length)
        try:
            await self._request("PATCH", location, {"Upload-Offset": str(offset)}, body)
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


def main() -> int:
    """Start a platform, measure, print; 1 when a promise is not kept."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with launcher.running("bench-files", "--runtime", "process") as launched:
        folder = launched.data_dir / "bench-files"
        folder.mkdir()
        figures = asyncio.run(_measure(folder, launched.demo))
        shutil.rmtree(folder)
    write_json(figures, RESULT)
    print(f"\n{table(figures)}\n\nalso in {RESULT}")
    return int(not all(figure.is_met for figure in figures))


async def _measure(folder: Path, demo: Any) -> list[Figure]:
    small, large = folder / "small", folder / "large.bin"
    small.mkdir()
    for number in range(FILES):
        (small / f"{number:05}").write_bytes(os.urandom(SMALL))
    digest = _fill(large, LARGE)
    async with signed_in(demo, 0) as visitor, _bare(folder / "bare") as bare:
        home = await visitor.call("POST", "/api/v1/volumes/home")
        uploader = Uploader(visitor, home["id"])
        sources = sorted(small.iterdir())
        copied = await _timed(asyncio.to_thread(shutil.copytree, small, folder / "copy"))
        plain = await _timed(_each(sources, bare))
        ours = await _timed(_each(sources, lambda it: uploader.send(f"small/{it.name}", it)))
        large_copied = await _timed(asyncio.to_thread(_copy, large, folder / "large.copy"))
        large_plain = await _timed(bare(large))
        large_ours = await _timed(uploader.send("large.bin", large, breaks_at=LARGE // 2))
        got = await _download(visitor, home["id"], "large.bin")
    if got != digest:
        raise RuntimeError("the uploaded file is another")
    return [
        _beside(f"cp of {FILES} files", copied),
        ratio(f"{FILES} files of {SMALL} bytes", "s", [plain], [ours], SMALL_RATIO_MAX),
        _beside("cp of 2 GiB", large_copied),
        ratio(
            "2 GiB, broken once, checksum equal", "s", [large_plain], [large_ours], LARGE_RATIO_MAX
        ),
    ]


@asynccontextmanager
async def _bare(folder: Path) -> AsyncIterator[Callable[[Path], Awaitable[None]]]:
    _make(folder)
    listener: socket.socket = free_socket()
    async with aiohttp.ClientSession() as http, serving(BareServer(folder), listener):

        async def send(source: Path) -> None:
            body = _pieces(source, 0, _size(source))
            async with http.put(f"{url_of(listener)}/{source.name}", data=body) as answer:
                answer.raise_for_status()

        yield send


async def _each(sources: list[Path], send: Callable[[Path], Awaitable[None]]) -> None:
    waiting = list(sources)

    async def work() -> None:
        while waiting:
            await send(waiting.pop())

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))


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


def _read(path: Path) -> bytes:
    return path.read_bytes()


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
