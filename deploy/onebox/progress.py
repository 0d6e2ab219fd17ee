"""The launcher's output on the terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic


def print_line(text: str) -> None:
    """Print one line; a closed terminal must not keep the platform from stopping."""
    with suppress(OSError):
        print(text, flush=True)


def print_error(text: str) -> None:
    """Print one line to standard error, in the same way."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


@contextmanager
def report_step(title: str) -> Iterator[None]:
    """Print a step's title at its beginning and its duration at its end."""
    started = monotonic()
    with suppress(OSError):
        print(f"  {title} ".ljust(44, "."), end=" ", flush=True)
    try:
        yield
    except BaseException as reason:
        print_line("failed" if isinstance(reason, Exception) else "interrupted")
        raise
    print_line(f"{monotonic() - started:5.1f} s")
