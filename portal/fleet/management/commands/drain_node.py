"""`manage.py drain_node NAME [--wait]`: drains a node, and waits until no work is left on it.

| exit status | meaning |
|---|---|
| 0 | the drain has begun; with `--wait`: the node is empty |
| 1 | the drain was refused, with the reason as error message |
| 3 | `--timeout` is over, the drain continues |
| 4 | the drain was cancelled by an operator |
| 130 | interrupted, the drain continues |
"""

from collections.abc import Callable
from threading import Event
from typing import Any, Final
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from portal.common.actor import Actor
from portal.common.errors import DomainError
from portal.fleet.drain_progress import DrainEnd, DrainRemainder, follow_drain
from portal.inventory.models import Node
from portal.workloads.operations import nodes
from scheduler.core.model.states import NodeState

GOES_ON: Final = "the drain goes on; uncordon the node to end it"
ENDS: Final = {
    DrainEnd.TIMED_OUT: (3, f"not empty in time: {GOES_ON}"),
    DrainEnd.CANCELLED: (4, "the node is not being drained any more"),
}
INTERRUPTED: Final = 130
SECONDS_MAX: Final = 30 * 24 * 3600
"""Longest time that a drain may wait."""


class Command(BaseCommand):
    """Drain a node."""

    help = "Place no new work on a node; with --wait, return when no work is left on it."

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Sleep between two reads in a way that an interrupt ends."""
        super().__init__(*args, **kwargs)
        self.pause: Callable[[float], object] = Event().wait

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments: the node, options of the drain, and how long to wait."""
        parser.add_argument("node")
        parser.add_argument("--within", type=_seconds, help="seconds until work that may move does")
        parser.add_argument("--stop-all", action="store_true", help="then stop all the rest, too")
        parser.add_argument("--wait", action="store_true", help="until the node is empty")
        parser.add_argument(
            "--timeout", type=_seconds, help="seconds to wait; indefinitely without"
        )

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Begin the drain, and wait for its end with `--wait`."""
        node = Node.objects.filter(name=options["node"]).exclude(state=NodeState.RETIRED).first()
        if node is None:
            raise CommandError(f"there is no node {options['node']}")
        how = nodes.DrainOptions(options["within"], stops_all=options["stop_all"])
        try:
            nodes.drain_node(actor=Actor.system("console"), node_id=node.pk, how=how)
        except DomainError as error:
            words = ", ".join(f"{name} {value}" for name, value in error.params.items())
            raise CommandError(f"{error.code}: {words}") from error
        self._write(f"{node.name} is given no new work")
        if options["wait"]:
            self._wait(node.pk, options["timeout"])

    def _wait(self, node_id: UUID, timeout_s: int | None) -> None:
        try:
            for progress in follow_drain(node_id, timeout_s, self.pause):
                self._report(progress)
        except KeyboardInterrupt as error:
            raise CommandError(f"interrupted: {GOES_ON}", returncode=INTERRUPTED) from error

    def _report(self, progress: DrainRemainder | DrainEnd) -> None:
        if isinstance(progress, DrainRemainder):
            self._write(str(progress))
        elif progress is DrainEnd.EMPTY:
            self._write("empty")
        else:
            code, words = ENDS[progress]
            raise CommandError(words, returncode=code)

    def _write(self, line: str) -> None:
        """Write a line at once, also into a pipe, for a caller that waits for it."""
        self.stdout.write(line)
        self.stdout.flush()


def _seconds(text: str) -> int:
    seconds = int(text)
    if not 0 <= seconds <= SECONDS_MAX:
        raise ValueError(text)
    return seconds
