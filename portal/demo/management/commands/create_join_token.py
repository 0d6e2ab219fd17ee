"""`manage.py create_join_token NODE POOL`: prints a one-time token for a node agent."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from portal.common.actor import Actor
from portal.inventory.models import Pool
from portal.inventory.services import create_join_token


class Command(BaseCommand):
    """Create a one-time join token."""

    help = "Print a one-time token with which the named node may join the pool."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare node and pool."""
        parser.add_argument("node")
        parser.add_argument("pool")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Create the token and print nothing else."""
        pool = Pool.objects.filter(name=options["pool"]).first()
        if pool is None:
            raise CommandError(f"there is no pool {options['pool']}")
        issued = create_join_token(
            actor=Actor.system("console"), node_name=options["node"], pool=pool
        )
        self.stdout.write(issued.secret)
