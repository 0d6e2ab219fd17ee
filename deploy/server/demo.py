"""`berth-server demo`: the demo organisation, and the token with which its node joins by itself."""

import os
from io import StringIO
from pathlib import Path

from django.apps import apps
from django.core.management import call_command


def seed(logins: Path, node: str, pool: str, token: Path) -> None:
    """Write the demo's logins, and a token for a node that this database does not know yet.

    Both files are private. Running it again changes nothing but what is missing.
    """
    call_command("seed_demo", output=logins)
    if apps.get_model("inventory", "Node").objects.filter(name=node).exists():
        return
    answer = StringIO()
    call_command("create_join_token", node, pool, stdout=answer)
    token.unlink(missing_ok=True)
    descriptor = os.open(token, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(answer.getvalue().strip())
