"""Fetches the secrets of work that starts, from the portal, with the node's key."""

import asyncio
from collections.abc import Collection
from typing import Final

import aiohttp
from pydantic import ValidationError

from nodeagent.core.state import ContainerKey
from nodeagent.host.secret_files import SecretFiles
from nodeagent.link.identity import NodeCredentials
from nodeagent.ports import StartError
from wire.secrets import Secrets, SecretsRequest, SecretValue
from wire.words import ExitCause

SECRETS_PATH: Final = "/node/v1/secrets"
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
        self._url = portal_url.rstrip("/") + SECRETS_PATH
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
        for left in reversed(range(TRIES)):
            try:
                return await self._request(key)
            except (aiohttp.ClientError, TimeoutError, OSError, ValidationError) as error:
                if not left:
                    detail = f"secrets_unreachable: {type(error).__name__}"
                    raise StartError(ExitCause.NODE_FAULT, detail) from None
            await asyncio.sleep(self._pause_s)
        raise AssertionError("unreachable: the last try returns or raises")

    async def _request(self, key: ContainerKey) -> tuple[SecretValue, ...]:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
        body = SecretsRequest(allocation=key.allocation, epoch=key.epoch).model_dump()
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(self._url, json=body, headers=self._credentials.headers()) as answer,
        ):
            if answer.status in (404, 409):
                problem = await answer.json(content_type=None)
                raise _refused(answer.status, problem if isinstance(problem, dict) else {})
            answer.raise_for_status()
            return Secrets.model_validate_json(await answer.text()).secrets


def _refused(status: int, problem: dict[str, object]) -> StartError:
    if status == 404:
        return StartError(ExitCause.VANISHED, "secrets_refused: the work is not to start here")
    params = problem.get("params")
    name = params.get("secret", "") if isinstance(params, dict) else ""
    return StartError(ExitCause.START_FAILED, f"secret_missing: {str(name)[:63]}")
