"""Migrates and seeds the database before the server starts, in a process of its own.

`python -m deploy.onebox.database --demo FILE [--model FILE] [--joined NODE:POOL …] [NODE:POOL …]` migrates,
seeds, and prints as JSON one-time join tokens for new nodes, and which of the joined ones are retired. A node
that has joined and is not known is new as well: its key is of an earlier database.
"""

import argparse
import json
import sys
from collections.abc import Collection, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import django
from django.apps import apps
from django.core.management import call_command

from scheduler.core.model.states import NodeState


def main() -> None:
    """Migrate and seed the database; existing rows stay as they are."""
    options = parse_arguments(sys.argv[1:])
    django.setup()
    bring_up_to_date()
    pools = {node.partition(":")[2] for node in (*options.joined, *options.nodes)}
    seeded = {"shares": "shares" in pools, "services": "services" in pools, "model": options.model}
    call_command("seed_demo", output=options.demo, **seeded, stdout=sys.stderr)
    print(json.dumps(admit_nodes(options.joined, options.nodes)))


def bring_up_to_date() -> None:
    """Migrate the database, unless its tables are of a version that this one cannot follow."""
    call_command("migrate", verbosity=0, skip_checks=False)


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m deploy.onebox.database")
    parser.add_argument("--demo", type=Path, required=True, help="file for the demo's logins")
    parser.add_argument("--model", default="", help="file that a service of its own serves")
    parser.add_argument("--joined", action="append", default=[], metavar="NODE:POOL")
    parser.add_argument("nodes", nargs="*", metavar="NODE:POOL")
    return parser.parse_args(arguments)


def admit_nodes(joined: Collection[str], new: Collection[str]) -> dict[str, Any]:
    """Return join tokens for nodes that have none of this database, and the names of retired ones."""
    nodes = apps.get_model("inventory", "Node").objects
    names = [node.partition(":")[0] for node in joined]
    states = dict(nodes.filter(name__in=names).values_list("name", "state"))
    unknown = [node for node in joined if node.partition(":")[0] not in states]
    return {
        "tokens": {node: _create_join_token(*node.split(":")) for node in (*new, *unknown)},
        "retired": sorted(name for name, state in states.items() if state == NodeState.RETIRED),
    }


def _create_join_token(node: str, pool: str) -> str:
    answer = StringIO()
    call_command("create_join_token", node, pool, stdout=answer)
    return answer.getvalue().strip()


if __name__ == "__main__":
    main()
