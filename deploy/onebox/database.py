"""Everything that the database needs before the parts start, in one process of its own.

`python -m deploy.onebox.database --demo FILE [NODE:POOL …]` migrates, seeds, and prints one-time
join tokens for the named nodes as JSON.
"""

import argparse
import json
import sys
from io import StringIO
from pathlib import Path

import django
from django.core.management import call_command


def main() -> None:
    """Bring the database up to date; what is there already stays as it is."""
    parser = argparse.ArgumentParser(prog="python -m deploy.onebox.database")
    parser.add_argument("--demo", type=Path, required=True, help="file for the demo's logins")
    parser.add_argument("nodes", nargs="*", metavar="NODE:POOL")
    options = parser.parse_args()
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("seed_demo", output=options.demo, stdout=sys.stderr)
    print(json.dumps({node: _token(*node.split(":")) for node in options.nodes}))


def _token(node: str, pool: str) -> str:
    answer = StringIO()
    call_command("create_join_token", node, pool, stdout=answer)
    return answer.getvalue().strip()


if __name__ == "__main__":
    main()
