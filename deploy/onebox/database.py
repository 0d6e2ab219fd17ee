"""Migrates and seeds the database before the server starts, in a process of its own.

`python -m deploy.onebox.database --demo FILE [--joined NODE …] [NODE:POOL …]` migrates, seeds, and
prints as JSON one-time join tokens for new nodes, and which of the joined ones are retired.
"""

import argparse
import json
import sys
from collections.abc import Collection
from io import StringIO
from pathlib import Path

import django
from django.apps import apps
from django.core.management import call_command

from scheduler.core.model.states import NodeState


def main() -> None:
    """Migrate and seed the database; existing rows stay as they are."""
    parser = argparse.ArgumentParser(prog="python -m deploy.onebox.database")
    parser.add_argument("--demo", type=Path, required=True, help="file for the demo's logins")
    parser.add_argument("--joined", action="append", default=[], metavar="NODE")
    parser.add_argument("nodes", nargs="*", metavar="NODE:POOL")
    options = parser.parse_args()
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("seed_demo", output=options.demo, stdout=sys.stderr)
    tokens = {node: _create_join_token(*node.split(":")) for node in options.nodes}
    print(json.dumps({"tokens": tokens, "retired": find_retired_nodes(options.joined)}))


def find_retired_nodes(joined: Collection[str]) -> list[str]:
    """Return which of these nodes an operator has retired: their keys are no longer valid."""
    nodes = apps.get_model("inventory", "Node").objects
    found = nodes.filter(name__in=joined, state=NodeState.RETIRED)
    return list(found.order_by("name").values_list("name", flat=True))


def _create_join_token(node: str, pool: str) -> str:
    answer = StringIO()
    call_command("create_join_token", node, pool, stdout=answer)
    return answer.getvalue().strip()


if __name__ == "__main__":
    main()
