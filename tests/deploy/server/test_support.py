"""`berth-server support-bundle`: whole, private, and without a single secret of the installation."""

import tarfile
from pathlib import Path

import pytest

from deploy.server import answers, support
from deploy.server.faults import ServerFault
from portal.config.env import Env


@pytest.fixture
def secrets() -> dict[str, str]:
    return {name: secret for name, secret in answers.draw_secrets().items() if secret}


@pytest.fixture
def env(secrets: dict[str, str]) -> Env:
    return Env.model_validate(
        {
            "secret_key": secrets["secret_key"],
            "encryption_keys": f"{secrets['encryption_keys']} an-older-key-of-tests",
            "database_url": secrets["app_url"],
            "redis_url": secrets["redis_url"],
            "metrics_token": secrets["metrics_token"],
            "registry_password": "a-password%of-tests",
            "email_url": "smtp://berth:mail%2Fword@mail.example.org:587",
            "portal_url": "https://berth.example.org",
            "apps_url": "https://apps.example.org",
        }
    )


def contents(path: Path) -> dict[str, str]:
    with tarfile.open(path) as archive:
        files = [(member.name, archive.extractfile(member)) for member in archive.getmembers()]
        return {name: file.read().decode() for name, file in files if file is not None}


def test_no_secret_is_in_the_bundle_wherever_it_was_said(
    tmp_path: Path, env: Env, secrets: dict[str, str]
) -> None:
    other = "postgresql://somebody:of-another-site@db.example.org/berth"
    said = [*secrets.values(), "an-older-key-of-tests", "a-password%of-tests", "mail/word"]
    logs = {"web.log": "\n".join(f"failed with {secret}!" for secret in [*said, other])}
    faults = [ServerFault("database_away", {"reason": f"{secrets['app_url']} refused"})]
    path, private = tmp_path / "support.tar.gz", tmp_path / answers.SECRETS
    private.mkdir()
    for name, secret in secrets.items():
        (private / name).write_text(f"{secret}\n")

    files = support.collect(env, faults, ["workloads.0001_tables"], logs)
    with path.open("wb") as file:
        support.write_bundle(file, files, support.find_secrets(env, private))

    found = contents(path)
    text = "".join(found.values())
    assert [name for name, secret in secrets.items() if secret in text] == []
    assert not any(word in text for word in ("mail/word", "mail%2Fword", "of-another-site"))
    assert not any(word in text for word in ("an-older-key", "a-password%of-tests"))
    assert set(found) == {
        f"berth-support/{name}"
        for name in ("versions.json", "settings.json", "checks.txt", "logs/web.log")
    }
    assert "https://berth.example.org" in found["berth-support/settings.json"]
    assert "database_away" in found["berth-support/checks.txt"]
    assert "workloads.0001_tables" in found["berth-support/versions.json"]


def test_of_a_log_the_end_is_kept(tmp_path: Path) -> None:
    (tmp_path / "web.log").write_bytes(b"a" * support.LOG_BYTES_MAX + b"the end")
    (tmp_path / "notes.txt").write_text("not a log")
    logs = support.read_logs(str(tmp_path))
    assert set(logs) == {"web.log"}
    assert logs["web.log"].endswith("the end")
    assert len(logs["web.log"]) == support.LOG_BYTES_MAX
    assert support.read_logs("") == {}
