"""The random numbers of Go's `math/rand`, so that published runs can be repeated from their seeds.

The generator is an additive lagged Fibonacci sequence, x[n] = x[n-607] + x[n-273] modulo 2^64. Go
seeds it from a table, "the state of the generator after 780e10 iterations": as the sequence is
linear, that state is computed here by raising x to that power modulo the sequence's polynomial.
Checked against the openb orders: shuffles of 8,152 tasks come out the same.
"""

from collections.abc import MutableSequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

_LENGTH: Final = 607
_TAP: Final = 273
_STEPS: Final = 7_800_000_000_000
_MASK: Final = (1 << 64) - 1
_FEED: Final = _LENGTH - _TAP
_WARM_UP: Final = 20

Words = NDArray[np.uint64]


class GoRandom:
    """One seeded stream; the methods are Go's."""

    def __init__(self, seed: int) -> None:
        table = _table()
        words = _words(seed % (2**31 - 1) or 89_482_311, shifts=(40, 20, 0))
        self._state = [(word ^ fixed) & _MASK for word, fixed in zip(words, table, strict=True)]
        self._tap = 0
        self._feed = _FEED

    def int63(self) -> int:
        """Return the next number below 2^63."""
        self._tap = (self._tap - 1) % _LENGTH
        self._feed = (self._feed - 1) % _LENGTH
        word = (self._state[self._feed] + self._state[self._tap]) & _MASK
        self._state[self._feed] = word
        return word & (_MASK >> 1)

    def below(self, limit: int) -> int:
        """`Intn`: the next number below a limit of at most 2^31 - 1."""
        if limit & (limit - 1) == 0:
            return (self.int63() >> 32) & (limit - 1)
        most = (1 << 31) - 1 - (1 << 31) % limit
        while (number := self.int63() >> 32) > most:
            pass
        return number % limit

    def shuffle(self, items: MutableSequence[int]) -> None:
        """`Shuffle`: in place."""
        for last in range(len(items) - 1, 0, -1):
            other = self._multiply(last + 1)
            items[last], items[other] = items[other], items[last]

    def permutation(self, size: int) -> list[int]:
        """`Perm`: the numbers below the size in random order."""
        found = [0] * size
        for index in range(size):
            other = self.below(index + 1)
            found[index] = found[other]
            found[other] = index
        return found

    def _multiply(self, limit: int) -> int:
        """`int31n`: like `below`, by multiplication."""
        product = (self.int63() >> 31) * limit
        if product & 0xFFFF_FFFF < limit:
            threshold = ((1 << 32) - limit) % limit
            while product & 0xFFFF_FFFF < threshold:
                product = (self.int63() >> 31) * limit
        return product >> 32


def _words(number: int, shifts: tuple[int, int, int]) -> list[int]:
    """Return 607 words, each made of three numbers of the small generator that Go seeds with."""
    words = []
    for index in range(-_WARM_UP, _LENGTH):
        number = number * 48_271 % (2**31 - 1)
        if index >= 0:
            word = number << shifts[0]
            number = number * 48_271 % (2**31 - 1)
            word ^= number << shifts[1]
            number = number * 48_271 % (2**31 - 1)
            words.append(word ^ number << shifts[2])
    return words


@cache
def _table() -> list[int]:
    """Return Go's table: the state, seeded with 1, after 780e10 steps."""
    words = _words(1, shifts=(20, 10, 0))
    past = np.array([words[(_FEED - 1 - age) % _LENGTH] for age in range(_LENGTH)], np.uint64)
    factors = _power(_STEPS)
    ahead = np.concatenate([past, np.zeros(_LENGTH, np.uint64)])
    for index in range(_LENGTH, 2 * _LENGTH):
        ahead[index] = ahead[index - _LENGTH]
        ahead[index : index + 1] += ahead[index - _TAP : index - _TAP + 1]
    feed = (_FEED - _STEPS) % _LENGTH
    table = [0] * _LENGTH
    for age in range(_LENGTH):
        window = ahead[age : age + _LENGTH]
        table[(feed - 1 - age) % _LENGTH] = int((factors * window).sum(dtype=np.uint64))
    return table


def _power(exponent: int) -> Words:
    """Return x to the exponent modulo x^607 - x^334 - 1, coefficients modulo 2^64."""
    result = np.zeros(_LENGTH, np.uint64)
    result[0] = 1
    base = np.zeros(_LENGTH, np.uint64)
    base[1] = 1
    while exponent:
        if exponent & 1:
            result = _product(result, base)
        base = _product(base, base)
        exponent >>= 1
    return result


def _product(left: Words, right: Words) -> Words:
    whole = np.zeros(2 * _LENGTH, np.uint64)
    for degree in np.flatnonzero(left).tolist():
        whole[degree : degree + _LENGTH] += left[degree] * right
    for degree in range(2 * _LENGTH - 1, _LENGTH - 1, -1):
        whole[degree - _LENGTH : degree - _LENGTH + 1] += whole[degree : degree + 1]
        whole[degree - _TAP : degree - _TAP + 1] += whole[degree : degree + 1]
    return whole[:_LENGTH]
