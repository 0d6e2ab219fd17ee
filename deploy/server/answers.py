"""`berth-server init`: answers become `.env`, secrets are drawn into files; nothing is overwritten.

Needs nothing but Python. Secrets are files of one private folder, because all who may look at a container
read its environment; the files themselves are readable, so that each container reads those it is given.
"""

import os
import re
import secrets
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from deploy.server.faults import ServerFault

SECRETS: Final = "secrets"
"""Folder of the secrets, beside `.env`."""
OWNER: Final = "berth"
APP_ROLE: Final = "berth_app"
KEEPER_ROLE: Final = "berth_keeper"
"""Roles of the database: whose the tables are, who uses them, and who makes partitions for samples."""
_URL: Final = re.compile(r"https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?")
_APPS_HOSTS: Final = re.compile(r"(https?://\*\.[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?)?")
_FOLDER: Final = re.compile(r"/[A-Za-z0-9._/-]+")
_PORT: Final = re.compile(r"[1-9][0-9]{0,4}")
_ADDRESS: Final = re.compile(r"[0-9a-fA-F.:]+")
_ZONE: Final = re.compile(r"[A-Za-z0-9_+/-]+")
_TLS: Final = re.compile(r"internal|/certificates/[\w.-]+ /certificates/[\w.-]+|[\w.+-]+@[\w.-]+")
_PROFILES: Final = re.compile(r"((demo|tls|registry|pair)(,(demo|tls|registry|pair))*)?")


@dataclass(frozen=True, slots=True)
class Question:
    """One line of `.env`: asked on a terminal, or taken from an option or a variable of its name."""

    name: str
    default: str
    shape: re.Pattern[str]

    @property
    def option(self) -> str:
        """Return the option that answers it: `--portal-url`."""
        return "--" + self.name.lower().removeprefix("berth_").replace("_", "-")


QUESTIONS: Final = (
    Question("BERTH_PORTAL_URL", "http://127.0.0.1:8000", _URL),
    Question("BERTH_APPS_URL", "http://localhost:8001", _URL),
    Question("BERTH_APPS_HOSTS", "", _APPS_HOSTS),
    Question("BERTH_INFERENCE_URL", "http://127.0.0.1:8003", _URL),
    Question("BERTH_STORAGE_DIR", "/srv/berth/storage", _FOLDER),
    Question("BERTH_TLS", "internal", _TLS),
    Question("COMPOSE_PROFILES", "demo", _PROFILES),
    Question("BERTH_TIME_ZONE", "UTC", _ZONE),
    Question("BERTH_BIND", "127.0.0.1", _ADDRESS),
    Question("BERTH_SSH_PORT", "8022", _PORT),
    Question("BERTH_AGENT_STATE_DIR", "/srv/berth/agent", _FOLDER),
    Question("DOCKER_GATEWAY", "172.17.0.1", _ADDRESS),
)


def draw_secret() -> str:
    """Return 256 random bits in hexadecimal."""
    return secrets.token_hex(32)


def take_answers(given: Mapping[str, str], ask: Callable[[Question], str] | None) -> dict[str, str]:
    """Return an answer to each question: what is given, else asked for, else the default."""
    answers = {}
    for question in QUESTIONS:
        found = given.get(question.name)
        if found is None and ask is not None:
            found = ask(question)
        answers[question.name] = (found or "").strip() if found is not None else question.default
    return answers


def find_wrong_answers(answers: Mapping[str, str]) -> Iterator[ServerFault]:
    """Yield what cannot be written down or cannot work, all of it."""
    for question in QUESTIONS:
        if not question.shape.fullmatch(answers[question.name]):
            yield ServerFault("answer_wrong", {"option": question.option})
    portal, apps = (urlsplit(answers[f"BERTH_{name}_URL"]) for name in ("PORTAL", "APPS"))
    if portal.hostname == apps.hostname:
        yield ServerFault("hosts_alike", {"host": portal.hostname or ""})
    if portal.scheme != apps.scheme:
        yield ServerFault("schemes_differ")
    if portal.scheme == "http" and "pair" in answers["COMPOSE_PROFILES"].split(","):
        yield ServerFault("pair_without_proxy")


def find_taken_ports(address: str, ports: Mapping[str, int]) -> Iterator[ServerFault]:
    """Yield the ports, by what they are for, on which something listens at this address already."""
    for name, port in ports.items():
        if port and not _is_free(address, port):
            yield ServerFault("port_taken", {"port": port, "what": name})


def published_ports(settings: Mapping[str, str]) -> dict[str, int]:
    """Return the ports of the host that compose publishes, by the line of `.env` that sets each."""
    return {name: int(settings[name]) for name in settings if name.endswith("_PORT")}


def complete(answers: Mapping[str, str]) -> dict[str, str]:
    """Return the lines of `.env`: the answers, and what follows from them."""
    portal, apps = urlsplit(answers["BERTH_PORTAL_URL"]), urlsplit(answers["BERTH_APPS_URL"])
    is_tls = portal.scheme == "https"
    profiles = {name for name in answers["COMPOSE_PROFILES"].split(",") if name}
    lines = dict(answers)
    if not lines["BERTH_APPS_HOSTS"] and apps.hostname == "localhost":
        # Browsers find names below it on the same machine, without DNS.
        lines["BERTH_APPS_HOSTS"] = answers["BERTH_APPS_URL"].replace("//", "//*.")
    if is_tls:
        profiles.add("tls")
        hosts = urlsplit(answers["BERTH_APPS_HOSTS"]).hostname
        sites = [str(apps.hostname), *([hosts] if hosts else [])]
        lines["BERTH_PORTAL_SITE"] = str(portal.hostname)
        lines["BERTH_PORTAL_HOST"] = portal.netloc
        lines["BERTH_APPS_SITES"] = ", ".join(sites)
        lines["BERTH_HTTP_PORT"], lines["BERTH_HTTPS_PORT"] = "80", str(portal.port or 443)
    if "pair" in profiles:
        lines["BERTH_WEB_UPSTREAM"] = "http://web:8002,http://web-2:8002"
        lines["BERTH_PORTAL_UPSTREAMS"] = "live:8000 live-2:8000"
        lines["BERTH_APPS_UPSTREAMS"] = "live:8001 live-2:8001"
    # Behind TLS the processes keep to themselves; else these are the ports that browsers use.
    lines["BERTH_PORTAL_PORT"] = "8000" if is_tls else str(portal.port or 80)
    lines["BERTH_APPS_PORT"] = "8001" if is_tls else str(apps.port or 80)
    inference = urlsplit(answers["BERTH_INFERENCE_URL"])
    if inference.scheme == "https":
        lines["BERTH_INFERENCE_SITE"] = str(inference.hostname)
    lines["BERTH_INFERENCE_PORT"] = (
        str(inference.port or 80) if inference.scheme == "http" else "8003"
    )
    lines["COMPOSE_PROFILES"] = ",".join(sorted(profiles))
    return lines


def draw_secrets() -> dict[str, str]:
    """Return the content of each file of secrets, each drawn at random; empty for what others decide."""
    passwords = {role: draw_secret() for role in (OWNER, APP_ROLE, KEEPER_ROLE)}
    hints = draw_secret()
    urls = {
        role: f"postgresql://{role}:{password}@postgres:5432/berth"
        for role, password in passwords.items()
    }
    return {
        "secret_key": draw_secret(),
        "encryption_keys": draw_secret(),
        "metrics_token": draw_secret(),
        "postgres_password": draw_secret(),
        "valkey_password": hints,
        "redis_url": f"redis://:{hints}@valkey:6379/0",
        **{f"{role}_password": password for role, password in passwords.items()},
        "owner_url": urls[OWNER],
        "app_url": urls[APP_ROLE],
        "keeper_url": urls[KEEPER_ROLE],
        "email_url": "",
        "registry_password": "",
    }


def find_leftovers(folder: Path) -> Iterator[ServerFault]:
    """Yield what is there already and would have to be overwritten."""
    for name in (".env", SECRETS):
        if (folder / name).exists():
            yield ServerFault("answers_exist", {"path": folder / name})


def write_answers(folder: Path, lines: Mapping[str, str]) -> None:
    """Write the secrets, then `.env`; raises FileExistsError rather than overwrite anything."""
    private = folder / SECRETS
    private.mkdir(mode=0o700)
    for name, content in draw_secrets().items():
        _write(private / name, content, 0o444)
    _write(folder / ".env", "".join(f"{name}={value}\n" for name, value in lines.items()), 0o600)


def _write(path: Path, content: str, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content)
        os.fchmod(file.fileno(), mode)


def _is_free(address: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True
