"""The same notebook and the same job in real Docker containers."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person, run_cell
from tests.e2e.words import ENGLISH, Words
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.docker, pytest.mark.timeout(900)]
SitDown = Callable[[Launched, Words], Person]


def test_notebook_in_a_container_keeps_its_files(
    docker_platform: Launched, person: SitDown
) -> None:
    someone = person(docker_platform, ENGLISH)
    someone.sign_in("wang.fang")
    someone.create_notebook("in a container")
    lab = someone.open_notebook()
    run_cell(lab, "open('kept.txt', 'w').write('x') and print(6*7)", "42")
    lab.close()

    someone.stop_notebook()
    someone.start_notebook()
    lab = someone.open_notebook()
    expect(lab.locator(".jp-DirListing-item", has_text="kept.txt")).to_be_visible()
    lab.close()
    someone.stop_notebook()


def test_job_in_a_container_leaves_log_and_outputs(docker_platform: Launched) -> None:
    robot = Pipeline(docker_platform.url, docker_platform.demo["robot_token"])
    script = "id -u; test -f /.dockerenv && echo inside\necho ok > $BERTH_OUTPUT_DIR/model.txt"
    job = robot.started("in a container", script)
    done = robot.wait(job)
    assert (done["state"], done["exit_code"]) == ("succeeded", 0), done
    assert "inside" in robot.text(f"/jobs/{job}/logs?rank=0&offset=0")
    assert robot.text(f"/jobs/{job}/outputs/model.txt") == "ok\n"


def test_nodes_say_that_containers_are_isolated(docker_platform: Launched) -> None:
    robot = Pipeline(docker_platform.url, docker_platform.demo["robot_token"])
    nodes = robot.get("/nodes")["results"]
    assert {(node["runtime"], node["is_isolated"]) for node in nodes} == {("docker", True)}


def test_job_may_not_be_root(docker_platform: Launched) -> None:
    robot = Pipeline(docker_platform.url, docker_platform.demo["robot_token"])
    job = robot.started("who am i", 'test "$(id -u)" != 0')
    assert robot.wait(job)["state"] == "succeeded"
