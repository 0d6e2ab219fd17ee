"""What the launcher says to the person who started it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic


def say(text: str) -> None:
    """Print one line; a terminal that is gone must not keep the platform from stopping."""
    with suppress(OSError):
        print(text, flush=True)


def complain(text: str) -> None:
    """Print one line to standard error, under the same promise."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


@contextmanager
def step(title: str) -> Iterator[None]:
    """Name a step when it begins and its duration when it ends."""
    started = monotonic()
    with suppress(OSError):
        print(f"  {title} ".ljust(44, "."), end=" ", flush=True)
    try:
        yield
    except BaseException as reason:
        say("failed" if isinstance(reason, Exception) else "interrupted")
        raise
    say(f"{monotonic() - started:5.1f} s")
