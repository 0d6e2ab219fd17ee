"""What a kubeconfig says of how a cluster is reached, and what of it is refused."""

import base64
from pathlib import Path
from typing import Any

import pytest
import yaml

from portal.kubernetes.access import ClusterAccess, UnusableAccessError, read_kubeconfig

PEM = "-----BEGIN CERTIFICATE-----\n"
CODED = base64.b64encode(PEM.encode()).decode()


def a_kubeconfig(folder: Path, user: dict[str, Any], **cluster: Any) -> Path:
    """Write a kubeconfig whose present context is `here`."""
    path = folder / "kubeconfig"
    server = {"server": "https://10.0.0.1:6443/", "certificate-authority-data": CODED}
    text = {
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {**server, **cluster}}],
        "users": [{"name": "u", "user": user}],
    }
    path.write_text(yaml.safe_dump(text), encoding="utf-8")
    return path


def test_a_token_and_who_signed_the_server(tmp_path: Path) -> None:
    access = read_kubeconfig(a_kubeconfig(tmp_path, {"token": "secret"}))
    assert access == ClusterAccess("https://10.0.0.1:6443", PEM, "secret")
    assert ClusterAccess.from_text(access.to_text()) == access
    assert "secret" not in repr(access)


def test_files_lie_beside_the_kubeconfig(tmp_path: Path) -> None:
    for name in ("ca", "crt", "key"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    user = {"client-certificate": "crt", "client-key": "key"}
    cluster = {"certificate-authority": "ca", "certificate-authority-data": None}
    access = read_kubeconfig(a_kubeconfig(tmp_path, user, **cluster))
    assert (access.authority, access.certificate, access.key) == ("ca", "crt", "key")


@pytest.mark.parametrize(
    ("user", "cluster", "context", "words"),
    [
        ({"exec": {"command": "aws"}}, {}, "", "user.exec is not used"),
        ({"username": "a", "password": "b"}, {}, "", "user.username is not used"),
        ({}, {}, "", "neither a token nor"),
        ({"token": "x"}, {"server": "http://10.0.0.1"}, "", "not reached over https"),
        ({"token": "x"}, {}, "elsewhere", "not a kubeconfig with such a context"),
        ({"tokenFile": "nowhere"}, {}, "", "FileNotFoundError"),
    ],
)
def test_what_cannot_be_used_is_named(
    tmp_path: Path, user: dict[str, Any], cluster: dict[str, Any], context: str, words: str
) -> None:
    path = a_kubeconfig(tmp_path, user, **cluster)
    with pytest.raises(UnusableAccessError, match=words):
        read_kubeconfig(path, context)


@pytest.mark.parametrize("text", ["", "- 1", "a: [", "contexts: 3"])
def test_what_is_no_kubeconfig_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "kubeconfig").write_text(text, encoding="utf-8")
    with pytest.raises(UnusableAccessError):
        read_kubeconfig(tmp_path / "kubeconfig")
