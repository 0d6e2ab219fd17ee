"""Use of cards that fades: what was held one half-life ago counts half.

Amounts are thousandths of a card-second, times whole seconds. Everything is fixed-point integer
arithmetic, and exact to the unit whatever the moments of sampling: fading twice is fading once for
the sum of both times, and a card held for an hour adds the same in one step as in sixty. So no
tenant gains from *when* the meter looks, and two machines count the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import Final

from scheduler.core.model.entities import GroupId, Millis, UsageView, UserId

_BITS: Final = 96
_ONE: Final = 1 << _BITS
_LN_2: Final = sum(_ONE // (k << k) for k in range(1, _BITS))
"""The natural logarithm of two, by its series Σ 1 / (k 2^k)."""


def _roots() -> tuple[int, ...]:
    """Return 2^(−1/2), 2^(−1/4), 2^(−1/8) …: a power of two is a product of some of them."""
    roots = [isqrt(_ONE * _ONE // 2)]
    while len(roots) < _BITS - 8:
        roots.append(isqrt(roots[-1] << _BITS))
    return tuple(roots)


_ROOTS: Final = _roots()


@lru_cache(maxsize=4096)
def _left(elapsed_s: int, half_life_s: int) -> int:
    """Return 2^(−elapsed / half-life) in parts of `_ONE`."""
    halvings, rest = divmod(elapsed_s, half_life_s)
    parts = (rest << len(_ROOTS)) // half_life_s
    left = _ONE
    for place, root in enumerate(reversed(_ROOTS)):
        if parts >> place & 1:
            left = left * root >> _BITS
    return left >> halvings


def decay(amount: int, elapsed_s: int, half_life_s: int) -> int:
    """Return what is left of an amount after so many seconds, rounded to the nearest unit.

    Raises ValueError for a time that runs backwards.
    """
    if elapsed_s < 0:
        raise ValueError("use does not grow by itself: elapsed_s must not be negative")
    return (amount * _left(elapsed_s, half_life_s) + _ONE // 2) >> _BITS


def accrue(amount: int, cards: int, elapsed_s: int, half_life_s: int) -> int:
    """Return the amount after so many seconds in which so many milli-cards were held.

    The integral of the fading use, cards · half-life / ln 2 · (1 − 2^(−elapsed / half-life)): not
    cards · elapsed, which would count more the more rarely one looks.
    """
    left = _left(elapsed_s, half_life_s)
    held = cards * half_life_s * (_ONE - left)
    return (2 * (amount * left * _LN_2 + held * _ONE) + _ONE * _LN_2) // (2 * _ONE * _LN_2)


def saturated(cards: int, half_life_s: int) -> int:
    """Return what holding so many milli-cards for ever comes to: the most that use can be."""
    return cards * half_life_s * _ONE // _LN_2


@dataclass(slots=True)
class _Account:
    """One member's use as of `at`, and the milli-cards that are being added."""

    amount: int
    at: Millis
    cards: int = 0


class UsageMeter:
    """The use of every member, kept up to date by what starts and ends."""

    def __init__(self, usage: Iterable[UsageView], at: Millis, half_life_s: int) -> None:
        """Begin with what is known at a moment."""
        self._half_life_s = half_life_s
        self._accounts = {
            (row.group, row.user): _Account(row.gpu_seconds * 1000, at) for row in usage
        }

    def hold(self, group: GroupId, user: UserId, cards: int, now: Millis) -> None:
        """Let a member hold so many milli-cards more from now on; fewer if negative."""
        account = self._accounts.setdefault((group, user), _Account(0, now))
        self._bring_up(account, now)
        account.cards += cards

    def usage(self, now: Millis) -> tuple[UsageView, ...]:
        """Return everybody's use now, in whole card-seconds, by group and user."""
        for account in self._accounts.values():
            self._bring_up(account, now)
        return tuple(
            UsageView(group, user, (account.amount + 500) // 1000)
            for (group, user), account in sorted(self._accounts.items())
        )

    def _bring_up(self, account: _Account, now: Millis) -> None:
        """Count whole seconds; the rest of a second waits for the next time."""
        elapsed_s = max(now - account.at, 0) // 1000
        account.amount = accrue(account.amount, account.cards, elapsed_s, self._half_life_s)
        account.at = Millis(account.at + elapsed_s * 1000)
