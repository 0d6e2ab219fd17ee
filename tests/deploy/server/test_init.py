"""`berth-server init` on a machine with Python alone: what it writes, and what it refuses."""

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from deploy.onebox.options import REPOSITORY, find_free_port
from deploy.server import answers
from deploy.server.words import LANGUAGES, choose_language, load_words


@pytest.fixture
def ports() -> tuple[int, int]:
    """Two ports that are free now."""
    return find_free_port(), find_free_port()


def init(folder: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run it without any package: `-S` leaves those out."""
    return subprocess.run(
        [sys.executable, "-S", "-m", "deploy.server", "init", "--folder", str(folder), *arguments],
        cwd=REPOSITORY,
        env={"PATH": os.environ["PATH"], **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def free(ports: tuple[int, int]) -> list[str]:
    urls = [f"--portal-url=http://127.0.0.1:{ports[0]}", f"--apps-url=http://localhost:{ports[1]}"]
    more = f"--inference-url=http://127.0.0.1:{find_free_port()}"
    return [*urls, more, f"--ssh-port={find_free_port()}"]


def lines_of(folder: Path) -> dict[str, str]:
    lines = (folder / ".env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_answers_become_a_private_file_and_secrets_a_private_folder(
    tmp_path: Path, ports: tuple[int, int]
) -> None:
    done = init(tmp_path, *free(ports), BERTH_TIME_ZONE="Asia/Shanghai")
    assert done.returncode == 0, done.stderr

    lines, secrets = lines_of(tmp_path), tmp_path / answers.SECRETS
    assert mode(tmp_path / ".env") == 0o600
    assert mode(secrets) == 0o700
    assert lines["BERTH_TIME_ZONE"] == "Asia/Shanghai"
    assert lines["BERTH_PORTAL_PORT"] == str(ports[0])
    assert lines["COMPOSE_PROFILES"] == "demo"
    drawn = {path.name: path.read_text() for path in secrets.iterdir()}
    assert set(drawn) == set(answers.draw_secrets())
    kept = {name: secret for name, secret in drawn.items() if secret}
    assert set(drawn) - set(kept) == {"email_url", "registry_password"}
    assert len(set(kept.values())) == len(kept)
    assert not any(secret in (tmp_path / ".env").read_text() for secret in kept.values())


def test_secrets_of_two_installations_have_nothing_in_common() -> None:
    one, other = (set(answers.draw_secrets().values()) - {""} for _ in range(2))
    assert one.isdisjoint(other)


@pytest.mark.parametrize("there", [".env", answers.SECRETS])
def test_nothing_is_overwritten(tmp_path: Path, ports: tuple[int, int], there: str) -> None:
    assert init(tmp_path, *free(ports)).returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    refused = init(tmp_path, *free(ports))

    assert refused.returncode == 1
    assert f"answers_exist: {tmp_path / there}" in refused.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_all_wrong_answers_are_named_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    refused = init(
        tmp_path,
        "--portal-url=http://berth.example.org",
        "--apps-url=https://berth.example.org",
        "--storage-dir=relative",
        "--tls=one $word",
        LANG="zh_CN.UTF-8",
    )

    codes = [line.partition(":")[0] for line in refused.stderr.splitlines()]
    assert sorted(codes) == ["answer_wrong", "answer_wrong", "hosts_alike", "schemes_differ"]
    assert "请使用两个不同的名称" in refused.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def taken() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield server.getsockname()[1]


def test_a_port_that_is_in_use_is_named_with_the_line_that_sets_it(
    tmp_path: Path, ports: tuple[int, int], taken: int
) -> None:
    refused = init(tmp_path, *free((taken, ports[1])))

    assert refused.stderr.startswith(f"port_taken: Port {taken}")
    assert "BERTH_PORTAL_PORT" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_with_tls_the_proxy_is_started_and_told_the_names() -> None:
    given = {
        "BERTH_PORTAL_URL": "https://berth.example.org",
        "BERTH_APPS_URL": "https://apps.example.org",
        "BERTH_APPS_HOSTS": "https://*.apps.example.org",
        "BERTH_TLS": "admin@example.org",
        "COMPOSE_PROFILES": "registry",
    }
    taken = answers.take_answers(given, None)
    assert list(answers.find_wrong_answers(taken)) == []

    lines = answers.complete(taken)

    assert lines["COMPOSE_PROFILES"] == "registry,tls"
    assert lines["BERTH_PORTAL_SITE"] == "berth.example.org"
    assert lines["BERTH_APPS_SITES"] == "apps.example.org, *.apps.example.org"
    ports = {"BERTH_HTTP_PORT": 80, "BERTH_HTTPS_PORT": 443, "BERTH_SSH_PORT": 8022}
    assert ports.items() <= answers.published_ports(lines).items()


def test_a_pair_is_known_to_the_proxy_and_needs_one() -> None:
    given = {
        "BERTH_PORTAL_URL": "https://berth.example.org:8443",
        "BERTH_APPS_URL": "https://apps.example.org:8443",
        "COMPOSE_PROFILES": "pair",
    }
    taken = answers.take_answers(given, None)
    assert list(answers.find_wrong_answers(taken)) == []
    lines = answers.complete(taken)
    assert lines["COMPOSE_PROFILES"] == "pair,tls"
    assert lines["BERTH_PORTAL_HOST"] == "berth.example.org:8443"
    assert lines["BERTH_PORTAL_UPSTREAMS"] == "live:8000 live-2:8000"
    assert lines["BERTH_WEB_UPSTREAM"].split(",") == ["http://web:8002", "http://web-2:8002"]

    plain = answers.take_answers({"COMPOSE_PROFILES": "pair"}, None)
    assert [fault.code for fault in answers.find_wrong_answers(plain)] == ["pair_without_proxy"]


def test_what_is_not_given_is_asked_for() -> None:
    asked = []

    def ask(question: answers.Question) -> str:
        asked.append(question.name)
        return question.default

    taken = answers.take_answers({"BERTH_TLS": "internal"}, ask)

    assert asked == [q.name for q in answers.QUESTIONS if q.name != "BERTH_TLS"]
    assert taken == {q.name: q.default for q in answers.QUESTIONS}


def test_both_languages_have_the_same_sentences_with_the_same_parameters() -> None:
    english, chinese = map(load_words, LANGUAGES)
    assert english.keys() == chinese.keys()
    named = {
        name: [set(_parameters(words[name])) for words in (english, chinese)] for name in english
    }
    differ = {
        name for name, (ours, theirs) in named.items() if not ours >= theirs or not theirs >= ours
    }
    assert differ <= {"setting_wrong"}
    assert {f"ask_{question.name}" for question in answers.QUESTIONS} <= english.keys()


def _parameters(sentence: str) -> Iterator[str]:
    for part in sentence.split("{")[1:]:
        yield part.partition("}")[0]


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh-CN"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
    ],
)
def test_the_language_is_that_of_the_terminal(environment: dict[str, str], language: str) -> None:
    assert choose_language(environment) == language
