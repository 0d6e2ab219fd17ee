"""How often somebody may try to sign in, and how often one browser or address may ask at all.

Wrong passwords are counted by name and address together, by name, and by address: a guesser meets one of
them. A person who uses a browser in which that name has signed in meets none of them, only a count of its own; so
does a person who is signed in and gives the password once more. What was right is not counted.
"""

from typing import Final

from allauth.core.internal import ratelimit
from allauth.core.internal.ratelimit import RateLimitUsage
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from rest_framework.exceptions import Throttled

from portal.identity import known_browsers

GUESSES_MAX: Final = 10
"""Wrong passwords within five minutes for one name from one address, or from one known browser."""
GUESSES_OF_NAME_MAX: Final = 100
"""Wrong passwords within an hour for one name, from everywhere but its known browsers."""
GUESSES_OF_ADDRESS_MAX: Final = 30
"""Wrong passwords within a minute from one address, for all names that are not known there."""
ASK_AGAIN_S: Final = 60
"""When to ask again, as a refusal says that comes too often."""
_APP: Final = "allauth.account"
_BY_NAME: Final = f"{GUESSES_OF_NAME_MAX}/1h/key"
_BY_ADDRESS: Final = f"{GUESSES_OF_ADDRESS_MAX}/m/ip"
_TOGETHER: Final = f"{GUESSES_MAX}/300s/key"


def count_guess(request: HttpRequest, username: str) -> RateLimitUsage | None:
    """Count an attempt, to be rolled back if it was right; None if there were too many before."""
    name = username.strip().lower()
    taken = RateLimitUsage(usage=[])
    for rate, key in _rates(request, name):
        config = {"guess": rate}
        found = ratelimit.consume(request, app=_APP, action="guess", config=config, key=key)
        if found is None:
            taken.rollback()
            return None
        taken.usage.extend(found.usage)
    return taken


def require_within(request: HttpRequest, action: str, times_per_minute: int) -> None:
    """Count a request of a known browser, or else of its address; raise if there were too many."""
    account = known_browsers.newest_account(request)
    config = {action: f"{times_per_minute}/m/{'key' if account else 'ip'}"}
    taken = ratelimit.consume(
        request, app=_APP, action=action, config=config, key=account, limit_get=True
    )
    if taken is None:
        raise Throttled(wait=ASK_AGAIN_S)


def _rates(request: HttpRequest, name: str) -> list[tuple[str, str]]:
    """Return the limits that an attempt has to keep, each with what it is counted by."""
    if not isinstance(request.user, AnonymousUser) and request.user.get_username() == name:
        return [(_TOGETHER, f"session {request.session.session_key}")]
    if known := known_browsers.find_known(request, name):
        return [(_TOGETHER, f"browser {known.browser_id}")]
    together = f"{name} {ratelimit.get_ip(request)}"
    return [(_BY_ADDRESS, ""), (_BY_NAME, name), (_TOGETHER, together)]
