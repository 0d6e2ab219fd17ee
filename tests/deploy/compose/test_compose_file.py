"""What the compose file promises of every service, read from the file as compose reads it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from deploy.onebox.options import REPOSITORY
from deploy.server import answers
from deploy.server.__main__ import parser
from deploy.server.processes import APPS_PORT, INFERENCE_PORT, PORTAL_PORT, WEB_PORT
from nodeagent.config import AgentConfig
from portal.demo import organisation

FILE: Final[Mapping[str, Any]] = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())
SERVICES: Final[Mapping[str, Mapping[str, Any]]] = FILE["services"]
ONE_SHOTS: Final = {name for name, each in SERVICES.items() if each["restart"] == "no"}
AGENTS: Final = ("agent", "agent-2", "agent-watchdog", "agent-2-watchdog")
AS_ROOT: Final = {"prepare", *AGENTS}
"""Who hands folders over, and who starts containers on the host's engine."""
CAPABILITIES: Final = {
    "prepare": {"CHOWN"},
    "caddy": {"NET_BIND_SERVICE"},
    **{
        name: {"CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "NET_ADMIN", "SYS_PTRACE"}
        for name in AGENTS
    },
}
OWN_IMAGE: Final = "${BERTH_SERVER_IMAGE:-berth/server:1}"
every_service: Final = pytest.mark.parametrize("name", SERVICES)


@every_service
def test_its_root_is_read_only_and_what_it_may_use_has_an_end(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["mem_limit"]
    assert service["pids_limit"] > 0
    assert service["logging"] == {
        "driver": "json-file",
        "options": {"max-size": "20m", "max-file": "5"},
    }


@every_service
def test_it_is_not_root_and_has_no_more_rights_than_are_listed(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert set(service.get("cap_add", ())) == CAPABILITIES.get(name, set())
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    is_root = service.get("user", "from the image").split(":")[0] in ("0", "root")
    assert is_root == (name in AS_ROOT)
    if "user" not in service:
        assert name.startswith("image-")  # their Dockerfile ends with an ordinary user


@every_service
def test_it_is_healthy_only_when_it_does_its_work(name: str) -> None:
    service = SERVICES[name]
    if name in ONE_SHOTS:
        assert "healthcheck" not in service
        return
    assert service["restart"] == "unless-stopped"
    check = service["healthcheck"]
    assert check["test"][0] in ("CMD", "CMD-SHELL")
    assert check["interval"]
    assert check["timeout"]
    assert check["retries"] > 0


@every_service
def test_no_secret_is_in_its_environment(name: str) -> None:
    secret = re.compile(r"PASSWORD|SECRET_KEY|ENCRYPTION|TOKEN|DATABASE_URL|REDIS_URL|EMAIL_URL")
    names = [key for key in SERVICES[name].get("environment", {}) if secret.search(key)]
    assert [key for key in names if not key.endswith("_FILE")] == []


def test_secrets_are_the_files_that_init_writes() -> None:
    private = f"./{answers.SECRETS}"
    files = {name: secret["file"] for name, secret in FILE["secrets"].items()}
    assert files == {name: f"{private}/{name}" for name in answers.draw_secrets()}


def secrets_of(name: str) -> dict[str, str]:
    """Return the source of each secret that a service has, by the name of its file."""
    found = {}
    for each in SERVICES[name].get("secrets", ()):
        given = {"source": each, "target": each} if isinstance(each, str) else each
        found[given["target"]] = given["source"]
    return found


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("app_url", {"web", "web-2", "inference", "scheduler", "beat", "join", "tools"}),
        ("keeper_url", {"live", "live-2", "worker"}),
        ("owner_url", {"migrate"}),
    ],
)
def test_only_what_migrates_has_the_role_that_owns_the_tables(source: str, names: set[str]) -> None:
    connected = {name for name in SERVICES if secrets_of(name).get("berth_database_url") == source}
    assert connected == names


def test_the_tools_are_given_every_secret_to_keep_it_out_of_a_support_bundle() -> None:
    assert set(secrets_of("tools").values()) == set(answers.draw_secrets())


def test_an_image_is_built_by_one_service_that_comes_before_all_others() -> None:
    builders = {name: each["image"] for name, each in SERVICES.items() if "build" in each}
    own = {name for name, each in SERVICES.items() if each["image"] == OWN_IMAGE}
    assert [name for name, image in builders.items() if image == OWN_IMAGE] == ["prepare"]
    for name in own - {"prepare"}:
        assert SERVICES[name]["pull_policy"] == "never"
        assert "prepare" in everything_before(name)
    assert builders["image-python"] == "berth/python:1"
    assert builders["image-jupyter"] == "berth/jupyter-python:1"
    agents = [name for name, image in builders.items() if "agent" in image]
    assert agents == ["agent"]


def everything_before(name: str) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        before = set(SERVICES[waiting.pop()].get("depends_on", {})) - found
        found |= before
        waiting += before
    return found


def test_a_command_that_only_looks_does_not_change_tables_first() -> None:
    assert "migrate" not in everything_before("tools")


def test_nothing_waits_for_what_its_profiles_leave_out() -> None:
    for name, service in SERVICES.items():
        profiles = set(service.get("profiles", ()))
        for other in everything_before(name):
            assert set(SERVICES[other].get("profiles", ())) <= profiles, (name, other)


@pytest.mark.parametrize("name", ["agent", "agent-2"])
def test_the_demo_is_started_by_itself(name: str) -> None:
    before = everything_before(name)
    assert {"join", "live", "image-python", "image-jupyter"} <= before
    tokens = parser().parse_args(SERVICES["join"]["command"])
    node = SERVICES[name]["environment"]["BERTH_AGENT_NAME"]
    assert node in dict(tokens.nodes)
    assert "$$BERTH_AGENT_NAME.token" in SERVICES[name]["command"][0]


def test_the_demo_has_a_node_in_each_pool() -> None:
    nodes = dict(parser().parse_args(SERVICES["join"]["command"]).nodes)
    assert set(nodes.values()) == {organisation.DEVELOPMENT, organisation.TRAINING}
    for alike in (
        "BERTH_AGENT_NAME",
        "BERTH_AGENT_STATE_DIR",
        "BERTH_AGENT_TELEMETRY__METRICS_PORT",
    ):
        values = {name: SERVICES[name]["environment"][alike] for name in AGENTS}
        assert values["agent"] == values["agent-watchdog"] != values["agent-2"]
        assert values["agent-2"] == values["agent-2-watchdog"]


@pytest.mark.parametrize("name", AGENTS)
def test_variables_of_the_agent_are_those_that_it_reads(name: str) -> None:
    prefix = "BERTH_AGENT_"
    for variable in SERVICES[name]["environment"]:
        if variable.startswith(prefix):
            known: Any = AgentConfig
            for part in variable.removeprefix(prefix).lower().split("__"):
                assert part in known.model_fields, variable
                known = known.model_fields[part].annotation


def test_ports_and_names_come_from_the_file_of_answers() -> None:
    written = answers.complete(
        answers.take_answers(
            {
                "BERTH_PORTAL_URL": "https://berth.example.org",
                "BERTH_APPS_URL": "https://apps.example.org",
            },
            None,
        )
    )
    text = (REPOSITORY / "docker-compose.yml").read_text()
    asked = set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", text)) | {"COMPOSE_PROFILES"}
    assert set(written) <= asked
    for service in SERVICES.values():
        for port in service.get("ports", ()):
            host = port.rpartition(":")[0]
            assert host.count("${") >= 2, port  # an address and a port


def test_commands_are_those_that_the_entry_point_knows() -> None:
    own = [name for name, each in SERVICES.items() if each["image"] == OWN_IMAGE]
    for name in set(own) - {"prepare"}:
        parser().parse_args(SERVICES[name]["command"])
        check = SERVICES[name].get("healthcheck", {}).get("test", ["CMD", "berth-server", "check"])
        parser().parse_args(check[2:])
    ports = [port.rpartition(":")[2] for port in SERVICES["live"]["ports"]]
    assert ports[:2] == [str(PORTAL_PORT), str(APPS_PORT)]
    assert SERVICES["inference"]["ports"][0].endswith(f":{INFERENCE_PORT}")
    environment = SERVICES["live"]["environment"]
    assert f":-http://web:{WEB_PORT}}}" in environment["BERTH_WEB_UPSTREAM"]


def test_files_that_are_mounted_from_the_tree_are_there() -> None:
    made = {"./deploy/registry.htpasswd"}
    mounted = {
        volume.split(":")[0] for each in SERVICES.values() for volume in each.get("volumes", ())
    }
    local = {path for path in mounted if path.startswith("./")} - made
    assert local == {"./deploy/postgres/roles.sh", "./deploy/caddy/Caddyfile"}
    assert all((REPOSITORY / path).is_file() for path in local)


def test_the_proxy_is_told_the_names_and_the_certificates() -> None:
    told = set(SERVICES["caddy"]["environment"])
    text = (REPOSITORY / "deploy" / "caddy" / "Caddyfile").read_text()
    assert set(re.findall(r"\{\$([A-Z_]+)\}", text)) <= told
    assert "live:8000" in SERVICES["caddy"]["environment"]["BERTH_PORTAL_UPSTREAMS"]
    assert "live:8001" in SERVICES["caddy"]["environment"]["BERTH_APPS_UPSTREAMS"]


@pytest.mark.parametrize("name", ["web", "live"])
def test_the_second_of_a_pair_is_like_the_first_but_not_published(name: str) -> None:
    first, second = SERVICES[name], SERVICES[f"{name}-2"]
    differing = {key for key in {*first, *second} if first.get(key) != second.get(key)}
    assert differing == {"profiles", *({"ports"} & {*first})}


@pytest.mark.parametrize("file", ["Dockerfile.server", "Dockerfile.agent"])
def test_what_images_copy_is_in_the_tree_and_not_kept_out(file: str) -> None:
    ignored = (REPOSITORY / ".dockerignore").read_text().split()
    assert {".env", "secrets", "certificates"} <= set(ignored)
    text = (REPOSITORY / "deploy" / file).read_text()
    for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE):
        for source in line.split()[:-1]:
            found = list(REPOSITORY.glob(source.rstrip("/")))
            assert found or source == "wheels*", source
            assert Path(source).parts[0] not in ignored
