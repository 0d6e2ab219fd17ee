"""Requests to the registry of the platform (OCI distribution): whether a tag exists, and deletions."""

from http import HTTPStatus
from typing import Final

from aiohttp import (
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    encode_basic_auth,
)

from portal.common.site_config import RegistryConfig

TIMEOUT_S: Final = 15
"""How long one request may take."""
MANIFESTS: Final = (
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
)
_GONE: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.ACCEPTED, HTTPStatus.OK})


class RegistryUnavailableError(Exception):
    """The registry did not answer, or refused."""


async def find_digest(registry: RegistryConfig, repository: str, tag: str) -> str:
    """Return the digest that a tag has; empty when there is none.

    Raises:
        RegistryUnavailableError: the registry did not answer, or refused.
    """
    status, digest = await _request(registry, "HEAD", f"{repository}/manifests/{tag}")
    if status not in (HTTPStatus.OK, HTTPStatus.NOT_FOUND):
        raise RegistryUnavailableError(f"HEAD: {status}")
    return digest if status == HTTPStatus.OK else ""


async def delete_manifest(registry: RegistryConfig, repository: str, digest: str) -> None:
    """Delete a manifest; one that is gone already is no failure.

    Raises:
        RegistryUnavailableError: the registry did not answer, or refused.
    """
    status, _ = await _request(registry, "DELETE", f"{repository}/manifests/{digest}")
    if status not in _GONE:
        raise RegistryUnavailableError(f"DELETE: {status}")


async def _request(registry: RegistryConfig, method: str, path: str) -> tuple[int, str]:
    """Return the status and the digest of an answer; its body is not read."""
    headers = {"Accept": ", ".join(MANIFESTS)}
    if registry.username:
        headers["Authorization"] = encode_basic_auth(registry.username, registry.password)
    try:
        async with (
            ClientSession(headers=headers, timeout=ClientTimeout(total=TIMEOUT_S)) as session,
            session.request(method, f"{registry.url}/v2/{path}", allow_redirects=False) as answer,
        ):
            return answer.status, _digest(answer)
    except (ClientError, TimeoutError, OSError) as error:
        raise RegistryUnavailableError(type(error).__name__) from error


def _digest(answer: ClientResponse) -> str:
    return answer.headers.get("Docker-Content-Digest", "")
