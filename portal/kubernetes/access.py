"""How a cluster is reached, taken from a kubeconfig: one address and one credential that does not change.

What a credential program would have to be run for is refused: the portal runs none. A service account's token
or a client certificate is what a service has.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml


class UnusableAccessError(Exception):
    """A kubeconfig does not say how to reach a cluster as the portal can; its text says why."""


@dataclass(frozen=True, slots=True)
class ClusterAccess:
    """The address of an API server, and what is shown to it."""

    server: str
    authority: str = ""
    """Certificates of who signed its own, as PEM; empty are those of the system."""
    token: str = field(default="", repr=False)
    certificate: str = ""
    """Of the client, as PEM."""
    key: str = field(default="", repr=False)
    verifies: bool = True
    """False trusts any server that answers; for tests only."""

    def to_text(self) -> str:
        """Return it as it is encrypted and stored."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> "ClusterAccess":
        """Return what `to_text` has written."""
        return cls(**json.loads(text))


def read_kubeconfig(path: Path, context: str = "") -> ClusterAccess:
    """Return the access that a kubeconfig names; its present context without another one.

    Raises:
        UnusableAccessError: it cannot be read, or names what the portal cannot use.
    """
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        chosen = _named(config, "contexts", context or config.get("current-context", ""))["context"]
        cluster = _named(config, "clusters", chosen["cluster"])["cluster"]
        user = _named(config, "users", chosen["user"])["user"]
        return _access(cluster, user or {}, path.parent)
    except (OSError, UnicodeDecodeError, ValueError, yaml.YAMLError) as error:
        raise UnusableAccessError(f"{path}: {type(error).__name__}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise UnusableAccessError(f"{path} is not a kubeconfig with such a context") from error


def _named(config: Mapping[str, Any], section: str, name: str) -> Mapping[str, Any]:
    entries: Mapping[str, Mapping[str, Any]] = {item["name"]: item for item in config[section]}
    return entries[name]


def _access(cluster: Mapping[str, Any], user: Mapping[str, Any], folder: Path) -> ClusterAccess:
    beyond = sorted({"exec", "auth-provider", "username", "as"} & user.keys())
    if beyond:
        raise UnusableAccessError(
            f"user.{beyond[0]} is not used; take the token of a service account"
        )
    verifies = not cluster.get("insecure-skip-tls-verify", False)
    access = ClusterAccess(
        server=str(cluster["server"]).rstrip("/"),
        authority=_text(cluster, "certificate-authority", folder) if verifies else "",
        token=str(user.get("token") or _file(user, "tokenFile", folder)).strip(),
        certificate=_text(user, "client-certificate", folder),
        key=_text(user, "client-key", folder),
        verifies=verifies,
    )
    if not access.server.startswith("https://"):
        raise UnusableAccessError(f"{access.server} is not reached over https")
    if not access.token and not access.certificate:
        raise UnusableAccessError("it names neither a token nor a client certificate")
    return access


def _text(section: Mapping[str, Any], name: str, folder: Path) -> str:
    """Return a PEM text, which stands there coded or in a file."""
    coded = section.get(f"{name}-data")
    return base64.b64decode(coded).decode() if coded else _file(section, name, folder)


def _file(section: Mapping[str, Any], name: str, folder: Path) -> str:
    path = section.get(name)
    return (folder / path).read_text(encoding="utf-8") if path else ""
