"""`manage.py join_kubernetes POOL --kubeconfig … --namespace …`: a pool becomes nodes of a Kubernetes cluster.

| exit status | meaning |
|---|---|
| 0 | the pool is joined; with `--dry-run`: nothing is against it |
| 1 | something is against it, which was printed |
"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from portal.common.actor import Actor
from portal.common.errors import DomainError
from portal.foreign.nodes import unjoined_names
from portal.inventory.models import Pool
from portal.kubernetes import joining
from portal.kubernetes.access import ClusterAccess, UnusableAccessError, read_kubeconfig
from portal.kubernetes.client import KubernetesClient
from portal.kubernetes.models import KubernetesCluster
from portal.kubernetes.records import terms_of
from portal.kubernetes.transport import HttpApi

_COLUMNS = (
    *("namespace", "resource", "node_selector"),
    *("gpu_memory_mib", "outputs_claim", "pull_secret"),
)


class Command(BaseCommand):
    """Look at a cluster, and let it run the work of a pool."""

    help = "Let Kubernetes run the work of a pool; with --dry-run, only print what was found."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the pool, and how its nodes are reached."""
        parser.add_argument("pool")
        parser.add_argument("--kubeconfig", type=Path, required=True)
        parser.add_argument("--context", default="", help="of the kubeconfig; its own without")
        parser.add_argument("--namespace", required=True, help="of this pool alone")
        parser.add_argument("--resource", default="nvidia.com/gpu", help="what GPUs are counted as")
        parser.add_argument("--node-selector", default="", help="labels of its nodes: a=b,c=d")
        parser.add_argument(
            "--gpu-memory-mib", type=int, required=True, help="of each GPU without a label for it"
        )
        parser.add_argument("--outputs-claim", default="", help="claim of a volume for outputs")
        parser.add_argument("--pull-secret", default="", help="secret by which images are pulled")
        parser.add_argument("--dry-run", action="store_true", help="change nothing in the portal")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Print what was found, and join the pool if nothing is against it."""
        pool = Pool.objects.filter(name=options["pool"]).first()
        if pool is None:
            raise CommandError(f"there is no pool {options['pool']}")
        try:
            access = read_kubeconfig(options["kubeconfig"], options["context"])
        except UnusableAccessError as error:
            raise CommandError(str(error)) from error
        columns = {name: options[name] for name in _COLUMNS}
        chosen = KubernetesCluster(pool=pool, **columns)
        client = KubernetesClient(HttpApi(access), terms_of(chosen, pool), chosen.node_selector)
        self._look(client, pool)
        if not options["dry_run"]:
            self._join(pool, access, client.namespace_uid(), columns)

    def _look(self, client: KubernetesClient, pool: Pool) -> None:
        findings = joining.examine_cluster(client)
        for finding in findings:
            mark = "ok" if finding.is_good else "FAIL"
            self.stdout.write(f"{mark:5}{finding.what}: {finding.found}")
        if not all(finding.is_good for finding in findings):
            raise CommandError("nothing was changed")
        for name in unjoined_names(pool, client.nodes()):
            self.stdout.write(f"left out: {name}, which another pool has")

    def _join(
        self, pool: Pool, access: ClusterAccess, namespace_uid: str, columns: dict[str, Any]
    ) -> None:
        try:
            joining.join(Actor.system("console"), pool, access, namespace_uid, columns)
        except DomainError as error:
            raise CommandError(f"refused: {error.code}") from error
        self.stdout.write(f"joined: {pool.name}; its nodes appear within seconds")
