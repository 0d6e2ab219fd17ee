"""`manage.py seed_demo`: the demo organisation, and its logins in one private file."""

import json
import os
import secrets
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand
from typing_extensions import override

from portal.common.site_config import get_site_config
from portal.demo import services
from portal.demo.contents import serve_model
from portal.identity.services import authenticate_token

_DEVICES: Final = Path("/dev")


class Command(BaseCommand):
    """Write the demo organisation; running it again only adds what is missing."""

    help = "Write the demo organisation and its logins."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare where the logins are written."""
        parser.add_argument("--output", type=Path, default=Path("var/demo.json"))
        parser.add_argument("--shares", action="store_true", help="with a pool for shares of cards")
        parser.add_argument("--services", action="store_true", help="with a pool for services")
        parser.add_argument(
            "--model", default="", help="a GGUF that a service with llama.cpp serves"
        )

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Seed, then write the file (mode 0600)."""
        output: Path = options["output"]
        known = _read(output)
        password = known.get("password") or secrets.token_urlsafe(12)
        logins = services.seed_organisation(
            password, has_shares=options["shares"], has_services=options["services"]
        )
        if options["model"]:
            serve_model(options["model"])
        if "password" not in known:
            services.reset_passwords(password)
        token = known.get("robot_token", "")
        if authenticate_token(token) is None:
            token = services.renew_robot_token()
        users = [
            {"username": login.username, "password": password, "role": login.role}
            for login in logins
        ]
        site = get_site_config()
        urls = {"url": site.portal_url, "apps_url": site.apps_url}
        _write(output, {**urls, "users": users, "robot_token": token})
        self.stdout.write(f"{len(users)} logins in {output}")


def _is_stream(output: Path) -> bool:
    return output.parent == _DEVICES or (output.exists() and not output.is_file())


def _read(output: Path) -> dict[str, str]:
    """Return password and token of an earlier run; a broken file counts as none.

    A pipe or a terminal is written to only: reading one would wait for a writer that never comes.
    """
    if _is_stream(output):
        return {}
    try:
        found = json.loads(output.read_text(encoding="utf-8"))
        return {"password": found["users"][0]["password"], "robot_token": found["robot_token"]}
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        return {}


def _write(output: Path, content: dict[str, Any]) -> None:
    """Replace the file as a whole; only its owner may read it. A pipe or a terminal is written to."""
    if _is_stream(output):
        with output.open("w", encoding="utf-8") as stream:
            json.dump(content, stream, indent=2, ensure_ascii=False)
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    draft = output.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2, ensure_ascii=False)
    draft.replace(output)
