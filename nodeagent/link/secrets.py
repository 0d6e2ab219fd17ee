"""Fetches the secrets of work that starts, and the registry's login, with the node's key."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final, TypeVar

import aiohttp
from pydantic import ValidationError

from nodeagent.core.state import ContainerKey
from nodeagent.host.secret_files import SecretFiles
from nodeagent.link.identity import NodeCredentials
from nodeagent.ports import StartError
from wire.images import RegistryLogin
from wire.secrets import Secrets, SecretsRequest, SecretValue
from wire.words import ExitCause

T = TypeVar("T")

SECRETS_PATH: Final = "/node/v1/secrets"
REGISTRY_PATH: Final = "/node/v1/registry"
TIMEOUT_S: Final = 10.0
TRIES: Final = 3
PAUSE_S: Final = 1.0


class PortalSecrets:
    """The `StartSecrets` port over HTTP. Nothing of an answer is logged or kept."""

    def __init__(
        self,
        portal_url: str,
        credentials: NodeCredentials,
        files: SecretFiles,
        pause_s: float = PAUSE_S,
    ) -> None:
        self._portal_url = portal_url.rstrip("/")
        self._credentials = credentials
        self._files = files
        self._pause_s = pause_s

    def remove(self, key: ContainerKey) -> None:
        """Remove the files of a container that has ended."""
        self._files.remove(key)

    def keep_only(self, keys: Collection[ContainerKey]) -> None:
        """Remove the files of all other containers."""
        self._files.keep_only(keys)

    async def fetch(self, key: ContainerKey) -> tuple[SecretValue, ...]:
        """Return the secrets of a container that starts now.

        A portal that does not answer is asked again; then the work is queued again, because another
        node may reach it. A secret that does not exist any more fails the work.
        """
        return await self._ask_again(lambda: self._request_secrets(key), "secrets_unreachable")

    async def fetch_registry_login(self, host: str = "") -> RegistryLogin:
        """Return the login of a registry, by default the platform's; asked for before each use."""
        return await self._ask_again(
            lambda: self._request_login(host), "registry_login_unreachable"
        )

    async def _ask_again(self, request: Callable[[], Awaitable[T]], code: str) -> T:
        """Repeat a request that the portal does not answer, a few times."""
        for left in reversed(range(TRIES)):
            try:
                return await request()
            except (aiohttp.ClientError, TimeoutError, OSError, ValidationError) as error:
                if not left:
                    detail = f"{code}: {type(error).__name__}"
                    raise StartError(ExitCause.NODE_FAULT, detail) from None
            await asyncio.sleep(self._pause_s)
        raise AssertionError("unreachable: the last try returns or raises")

    async def _request_secrets(self, key: ContainerKey) -> tuple[SecretValue, ...]:
        body = SecretsRequest(allocation=key.allocation, epoch=key.epoch).model_dump()
        async with self._post(SECRETS_PATH, body) as answer:
            if answer.status in (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT):
                problem = await answer.json(content_type=None)
                raise _refused(answer.status, problem if isinstance(problem, dict) else {})
            answer.raise_for_status()
            return Secrets.model_validate_json(await answer.text()).secrets

    async def _request_login(self, host: str) -> RegistryLogin:
        async with self._post(REGISTRY_PATH, {"host": host} if host else {}) as answer:
            if answer.status == HTTPStatus.NOT_FOUND:
                detail = "registry_login_refused: nothing here needs the registry now"
                raise StartError(ExitCause.IMAGE_UNAVAILABLE, detail)
            answer.raise_for_status()
            return RegistryLogin.model_validate_json(await answer.text())

    @asynccontextmanager
    async def _post(
        self, path: str, body: Mapping[str, object]
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(
                self._portal_url + path, json=body, headers=self._credentials.headers()
            ) as answer,
        ):
            yield answer


def _refused(status: int, problem: dict[str, object]) -> StartError:
    if status == HTTPStatus.NOT_FOUND:
        return StartError(ExitCause.VANISHED, "secrets_refused: the work is not to start here")
    params = problem.get("params")
    name = params.get("secret", "") if isinstance(params, dict) else ""
    return StartError(ExitCause.START_FAILED, f"secret_missing: {str(name)[:63]}")
