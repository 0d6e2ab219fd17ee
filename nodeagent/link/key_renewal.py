"""Renewal of the node's key: requested at two thirds of its life, saved, then used.

The portal accepts both keys until the new one is used; so it must be on disk before.
"""

import asyncio
from typing import Final

import aiohttp
import structlog
from pydantic import ValidationError

from nodeagent.link.identity import IdentityFile, NodeCredentials, NodeIdentity
from nodeagent.ports import Clock
from wire.messages import NewKey

log = structlog.get_logger()

KEY_PATH: Final = "/node/v1/key"
TIMEOUT_S: Final = 15.0
CHECK_INTERVAL_S: Final = 60.0
"""Between checks of the key's age, and between tries."""


class KeyRejectedError(Exception):
    """The portal does not accept the key (any longer): the node must join again."""


class KeyRenewal:
    """Renews the key in time for as long as the agent runs."""

    def __init__(
        self, portal_url: str, file: IdentityFile, credentials: NodeCredentials, clock: Clock
    ) -> None:
        self._url = portal_url.rstrip("/") + KEY_PATH
        self._file = file
        self._credentials = credentials
        self._clock = clock

    async def run(self, interval_s: float = CHECK_INTERVAL_S) -> None:
        """Check the key's age repeatedly; what fails is tried again."""
        while True:
            if is_renewal_due(self._credentials.identity, self._clock.wall_ms()):
                try:
                    await self.renew()
                except KeyRejectedError as error:
                    log.warning("key.refused", error=str(error), remedy="join again")
                except (aiohttp.ClientError, TimeoutError, OSError, ValidationError) as error:
                    log.warning("key.not_renewed", error=str(error) or repr(error))
            await asyncio.sleep(interval_s)

    async def renew(self) -> None:
        """Request the next key, save it and use it."""
        new_key = await self._request_key()
        identity = self._credentials.identity.model_copy(
            update={
                "key": new_key.key,
                "key_life_s": new_key.life_s,
                "obtained_at": self._clock.wall_ms(),
            }
        )
        await asyncio.to_thread(self._file.save, identity)
        self._credentials.replace(identity)
        log.info("key.renewed", life_s=new_key.life_s)

    async def _request_key(self) -> NewKey:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
        headers = self._credentials.headers()
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(self._url, headers=headers) as answer,
        ):
            if answer.status == 401:
                raise KeyRejectedError((await answer.text())[:200])
            answer.raise_for_status()
            return NewKey.model_validate_json(await answer.text())


def is_renewal_due(identity: NodeIdentity, wall_ms: int) -> bool:
    """Return whether two thirds of the key's life are over, or its age is not known."""
    if identity.key_life_s is None:
        return True
    age_ms = wall_ms - identity.obtained_at
    return not 0 <= age_ms < identity.key_life_s * 1000 * 2 // 3
