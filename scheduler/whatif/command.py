"""What every command of the simulator is made of."""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Figures = dict[str, object]


@dataclass(frozen=True, slots=True)
class Command:
    """One command line; `run` prints its table and returns the figures for `--json`."""

    path: tuple[str, ...]
    """`("run",)` or `("replay", "openb")`."""
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Figures]


def write_json(path: str, figures: Figures) -> None:
    """Write the figures, sorted and readable."""
    text = json.dumps(figures, indent=2, sort_keys=True, ensure_ascii=False)
    Path(path).write_text(text + "\n", encoding="utf-8")
