"""`manage.py join_slurm POOL --partition … --work-dir …`: a pool becomes a partition of a Slurm cluster.

| exit status | meaning |
|---|---|
| 0 | the pool is joined; with `--dry-run`: nothing is against it |
| 1 | something is against it, which was printed |
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from portal.common.actor import Actor
from portal.common.errors import DomainError
from portal.foreign.nodes import unjoined_names
from portal.inventory.models import Pool
from portal.slurm import joining
from portal.slurm.client import SlurmClient
from portal.slurm.commands import ShellCommands
from portal.slurm.models import SlurmPartition
from portal.slurm.records import terms_of

_COLUMNS = ("partition", "work_dir", "gpu_memory_mib", "host", "conf", "account", "qos")


class Command(BaseCommand):
    """Look at a partition, and let it run the work of a pool."""

    help = "Let Slurm run the work of a pool; with --dry-run, only say what was found."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the pool, and how its partition is reached."""
        parser.add_argument("pool")
        parser.add_argument("--partition", required=True)
        parser.add_argument("--work-dir", required=True, help="a folder that all its nodes share")
        parser.add_argument(
            "--gpu-memory-mib", type=int, required=True, help="memory of each of its GPUs"
        )
        parser.add_argument("--host", default="", help="where commands run, over ssh; here without")
        parser.add_argument("--conf", default="", help="path of slurm.conf; Slurm's own without")
        parser.add_argument("--account", default="")
        parser.add_argument("--qos", default="")
        parser.add_argument("--dry-run", action="store_true", help="change nothing in the portal")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Print what was found, and join the pool if nothing is against it."""
        pool = Pool.objects.filter(name=options["pool"]).first()
        if pool is None:
            raise CommandError(f"there is no pool {options['pool']}")
        columns = {name: options[name] for name in _COLUMNS}
        chosen = SlurmPartition(pool=pool, **columns)
        commands = ShellCommands(chosen.host, chosen.conf)
        client = SlurmClient(commands, terms_of(chosen, pool))
        findings = joining.examine_partition(client)
        for finding in findings:
            mark = "ok" if finding.is_good else "FAIL"
            self.stdout.write(f"{mark:5}{finding.what}: {finding.found}")
        if not all(finding.is_good for finding in findings):
            raise CommandError("nothing was changed")
        for name in unjoined_names(pool, (node.name for node in client.nodes())):
            self.stdout.write(f"left out: {name}, which another pool has")
        if not options["dry_run"]:
            self._join(pool, columns)

    def _join(self, pool: Pool, columns: dict[str, Any]) -> None:
        try:
            joining.join(Actor.system("console"), pool, columns)
        except DomainError as error:
            raise CommandError(f"refused: {error.code}") from error
        self.stdout.write(f"joined: {pool.name}; its nodes appear within seconds")
