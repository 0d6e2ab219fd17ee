"""Pages of one session share each check of its rights, and all of them get its result."""

import asyncio

import pytest

from portal.common.actor import Actor
from portal.live.authentication import RequestCredentials
from portal.live.rights_checks import RightsChecks

OWN = RequestCredentials(session_key="own")
OTHER = RequestCredentials(session_key="other")


class Sessions:
    """Sessions that count how often they are asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def authenticate(self, credentials: RequestCredentials) -> Actor | None:
        """Return somebody, for one of the sessions."""
        self.asked.append(credentials.session_key)
        return Actor.system("somebody") if credentials == OWN else None


async def test_pages_of_one_session_share_a_check() -> None:
    sessions = Sessions()
    checks = RightsChecks(sessions.authenticate, every_s=0.05)

    found = await asyncio.gather(*(checks.next_check(OWN) for _ in range(10)))

    assert {actor.name for actor in found if actor} == {"somebody"}
    assert sessions.asked == ["own"]


async def test_another_session_is_asked_for_by_itself() -> None:
    sessions = Sessions()
    checks = RightsChecks(sessions.authenticate, every_s=0.05)

    own, other = await asyncio.gather(checks.next_check(OWN), checks.next_check(OTHER))

    assert own is not None
    assert other is None
    assert sorted(sessions.asked) == ["other", "own"]


async def test_a_page_that_leaves_takes_no_check_from_others() -> None:
    sessions = Sessions()
    checks = RightsChecks(sessions.authenticate, every_s=0.05)
    stays = asyncio.ensure_future(checks.next_check(OWN))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await checks.next_check(OWN)

    assert await stays is not None
