"""`berth-server support-bundle`: what somebody who helps needs to see, and no secret of this installation."""

import io
import json
import platform
import re
import sys
import tarfile
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from deploy.server.faults import ServerFault
from portal.config.env import SECRET_FILES, Env

HIDDEN: Final = "***"
SECRET_CHARACTERS_MIN: Final = 4
"""Shorter texts are not looked for: they stand in every second word."""
LOG_BYTES_MAX: Final = 20 * 1024 * 1024
"""Of each log the end is kept."""
PACKAGES: Final = ("django", "celery", "psycopg", "redis", "uvicorn", "gunicorn", "aiohttp")
_PASSWORD: Final = re.compile(r"(?<=://)([^/@\s:]*):([^/@\s]*)@")
"""Of any URL, whatever variable it stands in."""


def find_secrets(env: Env, folder: Path = SECRET_FILES) -> set[str]:
    """Return every secret text there is: settings, files of secrets, single keys, passwords of URLs."""
    values = {name: getattr(env, name) for name in type(env).model_fields}
    found = {value.get_secret_value() for value in values.values() if isinstance(value, SecretStr)}
    if folder.is_dir():
        found |= {file.read_text().strip() for file in folder.iterdir() if file.is_file()}
    found |= {key for value in set(found) for key in value.split()}
    texts = [value for value in (*values.values(), *found) if isinstance(value, str)]
    for password in filter(None, map(_password, texts)):
        found |= {password, unquote(password)}
    return {text for text in found if len(text) >= SECRET_CHARACTERS_MIN}


def hide(text: str, secrets: Iterable[str]) -> str:
    """Return a text without the secrets, and without the password of any URL."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _PASSWORD.sub(rf"\1:{HIDDEN}@", text)


def show_settings(env: Env) -> dict[str, str]:
    """Return every setting as text; of secrets, only whether there is one."""
    values: dict[str, Any] = {name: getattr(env, name) for name in type(env).model_fields}
    return {
        f"BERTH_{name.upper()}": (HIDDEN if value.get_secret_value() else "")
        if isinstance(value, SecretStr)
        else str(value)
        for name, value in values.items()
    }


def show_versions(migrations: Iterable[str]) -> dict[str, Any]:
    """Return what runs here, and the newest migration of each app."""
    return {
        "python": sys.version,
        "machine": platform.platform(),
        "packages": {name: version(name) for name in PACKAGES},
        "migrations": list(migrations),
    }


def collect(
    env: Env, faults: Iterable[ServerFault], migrations: Iterable[str], logs: Mapping[str, str]
) -> dict[str, str]:
    """Return the files of a bundle by name, with everything in them."""
    return {
        "versions.json": json.dumps(show_versions(migrations), indent=2),
        "settings.json": json.dumps(show_settings(env), indent=2, ensure_ascii=False),
        "checks.txt": "".join(f"{fault.say('en')}\n" for fault in faults),
        **{f"logs/{name}": text for name, text in logs.items()},
    }


def write_bundle(to: IO[bytes], files: Mapping[str, str], secrets: Iterable[str]) -> None:
    """Write the archive, without the secrets."""
    with tarfile.open(fileobj=to, mode="w|gz") as archive:
        for name, text in files.items():
            content = hide(text, secrets).encode()
            member = tarfile.TarInfo(f"berth-support/{name}")
            member.size, member.mode = len(content), 0o600
            archive.addfile(member, io.BytesIO(content))


def read_logs(where: str) -> dict[str, str]:
    """Return the ends of the `*.log` files of a folder, or of what comes in for `-`."""
    if not where:
        return {}
    if where == "-":
        return {"services.log": _end(sys.stdin.buffer.read())}
    return {path.name: _end(path.read_bytes()) for path in sorted(Path(where).glob("*.log"))}


def _end(content: bytes) -> str:
    return content[-LOG_BYTES_MAX:].decode(errors="replace")


def _password(url: str) -> str | None:
    try:
        return urlsplit(url).password
    except ValueError:
        return None
