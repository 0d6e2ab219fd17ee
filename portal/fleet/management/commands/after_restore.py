"""`manage.py after_restore`: run once after the database was restored, before the portal is started.

Without it the first heartbeat of a node shows the restore as well, but until then older work may be
placed a second time.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from portal.common.actor import Actor
from portal.common.errors import DomainError
from portal.fleet.recovery import present_recovery
from portal.workloads.models import ForgottenContainer
from portal.workloads.operations import recovery

_CONSOLE = Actor.system("console")


class Command(BaseCommand):
    """Begin a recovery, show it, or decide about what it waits for."""

    help = "Note that the database was restored from a backup; show and decide what is pending."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add what is done instead of beginning a recovery."""
        group = parser.add_mutually_exclusive_group()
        group.add_argument("--status", action="store_true", help="show what is pending")
        group.add_argument("--finish", action="store_true", help="end it; --confirm finish")
        group.add_argument("--stop", metavar="ALLOCATION", help="stop a container; --confirm it")
        parser.add_argument("--confirm", default="", help="the name or word once more")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Do one of it, and show what is pending then."""
        try:
            self._act(options)
        except DomainError as error:
            words = ", ".join(f"{name} {value}" for name, value in error.params.items())
            raise CommandError(f"{error.code}: {words}") from error
        self._show()

    def _act(self, options: dict[str, Any]) -> None:
        if options["finish"]:
            recovery.finish_recovery(actor=_CONSOLE, confirm=options["confirm"])
        elif options["stop"]:
            rows = ForgottenContainer.objects.filter(allocation=options["stop"]).order_by("epoch")
            if not rows:
                raise CommandError(f"there is no unknown container {options['stop']}")
            for row in rows:
                recovery.stop_container(
                    actor=_CONSOLE, container_id=row.pk, name=options["confirm"]
                )
        elif not options["status"]:
            recovery.begin_recovery(actor=_CONSOLE)

    def _show(self) -> None:
        found = present_recovery(_CONSOLE)
        is_over = "under way" if found["is_under_way"] else "over"
        self.stdout.write(f"recovery: {is_over}; the backup is of {found['data_until'] or '-'}")
        self.stdout.write(f"nodes that have not spoken: {found['unheard_total']}")
        for node in found["unheard_nodes"]:
            self.stdout.write(f"  {node['name']} ({node['state']})")
        self.stdout.write(
            f"containers that the database does not know: {found['containers_total']}"
        )
        for row in found["containers"]:
            workload = row["workload_name"] or "unknown"
            state = "stopping" if row["is_stopping"] else row["waits_for"] or row["phase"]
            node = row["node"]["name"]
            self.stdout.write(f"  {row['allocation']} @{row['epoch']} {node} {workload} {state}")
