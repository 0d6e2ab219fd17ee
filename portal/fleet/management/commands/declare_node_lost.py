"""`manage.py declare_node_lost NAME --confirm NAME`: gives up the work of a silent node.

Only for a node of which nothing runs any more, such as one that is switched off or destroyed: its
work starts again elsewhere, and where the node still runs it, there are two copies.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from portal.common.actor import Actor
from portal.common.errors import DomainError
from portal.inventory.models import Node
from portal.workloads.operations import nodes
from scheduler.core.model.states import NodeState


class Command(BaseCommand):
    """Declare a node lost."""

    help = "Give up the work of a silent node of which nothing runs any more."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the node, and its name once more."""
        parser.add_argument("node")
        parser.add_argument("--confirm", required=True, help="the name of the node once more")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Declare it lost, or end with the reason against it."""
        node = Node.objects.filter(name=options["node"]).exclude(state=NodeState.RETIRED).first()
        if node is None:
            raise CommandError(f"there is no node {options['node']}")
        try:
            nodes.declare_node_lost(
                actor=Actor.system("console"), node_id=node.pk, name=options["confirm"]
            )
        except DomainError as error:
            words = ", ".join(f"{name} {value}" for name, value in error.params.items())
            raise CommandError(f"{error.code}: {words}") from error
        self.stdout.write(f"{node.name} is declared lost; its work is queued again")
