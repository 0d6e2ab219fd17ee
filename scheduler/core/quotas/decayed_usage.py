"""Decayed use of GPUs: what was held one half-life ago counts half (Slurm: PriorityDecayHalfLife).

Amounts are thousandths of a GPU-second; times are whole seconds. Everything is fixed-point integer
arithmetic, exact to the unit at whatever moments it is sampled: decaying twice equals decaying once
for the sum of both times, and a GPU held for an hour adds the same in one step as in sixty. So the
result does not depend on *when* use is measured, nor on the machine.
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


def accrue(amount: int, gpu_milli: int, elapsed_s: int, half_life_s: int) -> int:
    """Return the amount after so many seconds in which so many milli-GPUs were held.

    It is the integral of the decaying use, gpus · half-life / ln 2 · (1 − 2^(−elapsed / half-life)),
    not gpus · elapsed, which would count more the more rarely use is measured.
    """
    left = _left(elapsed_s, half_life_s)
    held = gpu_milli * half_life_s * (_ONE - left)
    return (2 * (amount * left * _LN_2 + held * _ONE) + _ONE * _LN_2) // (2 * _ONE * _LN_2)


@dataclass(slots=True)
class _Account:
    """One member's use as of `at`, and the milli-GPUs that it holds since."""

    amount: int
    at: Millis
    gpu_milli: int = 0


class UsageMeter:
    """The decayed use of every member, updated with what starts and ends."""

    def __init__(self, usage: Iterable[UsageView], at: Millis, half_life_s: int) -> None:
        """Begin with the use known at a moment."""
        self._half_life_s = half_life_s
        self._accounts = {
            (row.group, row.user): _Account(row.gpu_seconds * 1000, at) for row in usage
        }

    def hold(self, group: GroupId, user: UserId, gpu_milli: int, now: Millis) -> None:
        """Count a member as holding so many milli-GPUs more from now on; fewer if negative."""
        account = self._accounts.setdefault((group, user), _Account(0, now))
        self._advance(account, now)
        account.gpu_milli += gpu_milli

    def usage(self, now: Millis) -> tuple[UsageView, ...]:
        """Return the use of every member now, in whole GPU-seconds, by group and user."""
        for account in self._accounts.values():
            self._advance(account, now)
        return tuple(
            UsageView(group, user, (account.amount + 500) // 1000)
            for (group, user), account in sorted(self._accounts.items())
        )

    def _advance(self, account: _Account, now: Millis) -> None:
        """Count whole seconds; the rest of a second is counted the next time."""
        elapsed_s = max(now - account.at, 0) // 1000
        account.amount = accrue(account.amount, account.gpu_milli, elapsed_s, self._half_life_s)
        account.at = Millis(account.at + elapsed_s * 1000)
