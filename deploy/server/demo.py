"""`berth-server demo`: the demo organisation, and the tokens with which its nodes join by themselves."""

import os
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Final

from django.apps import apps
from django.core.management import call_command

LOGINS: Final = "demo.json"


def seed(folder: Path, nodes: Mapping[str, str]) -> None:
    """Write the demo's logins, and a token for each node, by name with its pool, that is not known yet.

    All files are private: `demo.json`, and one such as `demo-1.token` for each node. Running it again
    changes nothing but what is missing.
    """
    call_command("seed_demo", output=folder / LOGINS)
    for node, pool in nodes.items():
        if not apps.get_model("inventory", "Node").objects.filter(name=node).exists():
            answer = StringIO()
            call_command("create_join_token", node, pool, stdout=answer)
            _write(folder / f"{node}.token", answer.getvalue().strip())


def _write(file: Path, content: str) -> None:
    file.unlink(missing_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(content)
