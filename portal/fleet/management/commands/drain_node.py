"""`manage.py drain_node NAME [--wait]`: empties a node, and waits until nothing of it lives.

| exit status | what it says |
|---|---|
| 0 | the drain was ordered; with `--wait`: the node is empty |
| 1 | nothing was ordered: the error says why |
| 3 | `--timeout` is over, the drain goes on |
| 4 | somebody has taken the node back |
| 130 | interrupted, the drain goes on |
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
    DrainEnd.CALLED_OFF: (4, "the node is not being drained any more"),
}
INTERRUPTED: Final = 130
SECONDS_MAX: Final = 30 * 24 * 3600
"""Longest time that a drain may wait."""


class Command(BaseCommand):
    """Drain a node."""

    help = "Give a node no new work, and with --wait say when nothing is left on it."

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Wait between two looks in a way that an interrupt ends."""
        super().__init__(*args, **kwargs)
        self.pause: Callable[[float], object] = Event().wait

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the node, what the drain does, and how long to wait for it."""
        parser.add_argument("node")
        parser.add_argument("--within", type=_seconds, help="seconds until work that may move does")
        parser.add_argument("--stop-all", action="store_true", help="then stop all the rest, too")
        parser.add_argument("--wait", action="store_true", help="until the node is empty")
        parser.add_argument("--timeout", type=_seconds, help="seconds to wait; for ever without")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Order the drain, and wait for its end if asked to."""
        node = Node.objects.filter(name=options["node"]).exclude(state=NodeState.RETIRED).first()
        if node is None:
            raise CommandError(f"there is no node {options['node']}")
        how = nodes.DrainOptions(options["within"], stops_all=options["stop_all"])
        try:
            nodes.drain_node(actor=Actor.system("console"), node_id=node.pk, how=how)
        except DomainError as error:
            words = ", ".join(f"{name} {value}" for name, value in error.params.items())
            raise CommandError(f"{error.code}: {words}") from error
        self._say(f"{node.name} is given no new work")
        if options["wait"]:
            self._wait(node.pk, options["timeout"])

    def _wait(self, node_id: UUID, timeout_s: int | None) -> None:
        try:
            for news in follow_drain(node_id, timeout_s, self.pause):
                self._tell(news)
        except KeyboardInterrupt as error:
            raise CommandError(f"interrupted: {GOES_ON}", returncode=INTERRUPTED) from error

    def _tell(self, news: DrainRemainder | DrainEnd) -> None:
        if isinstance(news, DrainRemainder):
            self._say(str(news))
        elif news is DrainEnd.EMPTY:
            self._say("empty")
        else:
            code, words = ENDS[news]
            raise CommandError(words, returncode=code)

    def _say(self, line: str) -> None:
        """Say it now, also into a pipe: whoever waits reads along."""
        self.stdout.write(line)
        self.stdout.flush()


def _seconds(text: str) -> int:
    seconds = int(text)
    if not 0 <= seconds <= SECONDS_MAX:
        raise ValueError(text)
    return seconds
