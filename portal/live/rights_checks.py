"""Repeated checks of rights, one for all pages of a session: ten pages of a person cost as much as one."""

import asyncio
from dataclasses import dataclass, field

from portal.common.actor import Actor
from portal.common.concurrency import run_in_thread
from portal.live.authentication import Authenticate, RequestCredentials
from portal.live.broadcast import Subscriber


@dataclass(frozen=True, slots=True)
class RightsChecks:
    """When pages check again who is behind them; pages with equal credentials share each check."""

    authenticate: Authenticate
    every_s: float
    _running: "dict[RequestCredentials, asyncio.Task[Actor | None]]" = field(default_factory=dict)

    async def next_check(
        self, credentials: RequestCredentials, changes: Subscriber | None = None
    ) -> Actor | None:
        """Wait until these credentials are due, at most `every_s`, and return their actor then.

        Credentials are due at moments of their own, so that the checks of many people are spread,
        and at once when `changes`, a subscriber of rights, is notified.
        """
        loop = asyncio.get_running_loop()
        own = hash(credentials) % 1000 / 1000 * self.every_s
        pause_s = self.every_s - (loop.time() - own) % self.every_s
        if changes is None:
            await asyncio.sleep(pause_s)
        else:
            await changes.wait_topics(within_s=pause_s)
        check = self._running.get(credentials)
        if check is None:
            check = asyncio.ensure_future(run_in_thread(self.authenticate, credentials))
            self._running[credentials] = check
            check.add_done_callback(lambda _: self._running.pop(credentials))
        return await asyncio.shield(check)
