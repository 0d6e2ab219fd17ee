"""A server of uploads and downloads with one volume, as clients see it."""

import base64
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import ClientSession

from portal.identity.models import User
from portal.volumes.models import Volume

PORTAL = "http://portal.example"
TUS = {"Tus-Resumable": "1.0.0"}
BYTES = {**TUS, "Content-Type": "application/offset+octet-stream"}


@dataclass
class Site:
    """A server with one volume, and those who use it."""

    url: str
    client: ClientSession
    volume: Volume
    top: Path
    owner: User
    token: str
    reader: str
    stranger: str

    def address(self, rest: str) -> str:
        return f"{self.url}/api/v1/volumes/{self.volume.pk}/{rest}"

    def call(self, method: str, rest: str, *, token: str = "", **options: Any) -> Any:
        address = self.url + rest if rest.startswith("/api") else self.address(rest)
        headers = {"Authorization": f"Bearer {token or self.token}", **options.pop("headers", {})}
        return self.client.request(method, address, headers=headers, **options)

    async def begin(self, path: str, length: int, *, data: bytes = b"", **metadata: str) -> Any:
        values = {"path": path, **metadata}
        pairs = (f"{key} {base64.b64encode(it.encode()).decode()}" for key, it in values.items())
        headers = {
            **(BYTES if data else TUS),
            "Upload-Length": str(length),
            "Upload-Metadata": ",".join(pairs),
        }
        async with self.call(
            "POST", "uploads", headers=headers, data=io.BytesIO(data) if data else None
        ) as response:
            await response.read()
            return response

    async def patch(
        self, location: str, offset: int, data: bytes | AsyncIterator[bytes], **headers: str
    ) -> Any:
        sent = {**BYTES, "Upload-Offset": str(offset), **headers}
        body = io.BytesIO(data) if isinstance(data, bytes) else data
        async with self.call("PATCH", location, headers=sent, data=body) as response:
            await response.read()
            return response

    async def offset(self, location: str) -> int:
        async with self.call("HEAD", location, headers=TUS) as response:
            assert response.status == 200
            assert response.headers["Cache-Control"] == "no-store"
            return int(response.headers["Upload-Offset"])

    async def refusal(self, method: str, rest: str, **options: Any) -> tuple[int, str]:
        async with self.call(method, rest, **options) as response:
            problem = await response.json(content_type="application/problem+json")
            assert problem["detail"]
            assert "{" not in problem["detail"]
            return response.status, problem["code"]
