"""The same notebook and the same job in real Docker containers."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.docker_engine import docker_engine
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person, run_cell
from tests.e2e.training import NAME, offer_image
from tests.e2e.words import ENGLISH, Words
from tests.launcher import Launched
from tests.torch_image import torch_image
from tests.training import TRAIN, assert_gone_on, steps_of
from tests.waiting import PATIENCE_S, wait_until

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


def test_gang_across_nodes_goes_on_from_its_checkpoint_after_a_rank_was_killed(
    docker_platform: Launched,
) -> None:
    """The ranks meet on a network of their own; the one that dies takes the gang with it, once."""
    with docker_engine() as engine, engine.client(timeout_s=600) as client:
        torch_image(client)
        offer_image(docker_platform)
        robot = Pipeline(docker_platform.url, docker_platform.demo["robot_token"])
        job = robot.started(
            "two ranks",
            TRAIN,
            image=NAME,
            replicas=2,
            memory_mib=300 * 1024,  # more than half a node
            retries_max=1,
            restart={"rule": "on_failure"},
        )
        outputs = docker_platform.data_dir / "storage" / "outputs" / job
        # Two ranks import PyTorch at the same time, on whatever else is busy here.
        wait_until(lambda: len(steps_of(outputs, 0)) > 10, within_s=3 * PATIENCE_S)
        wait_until(lambda: robot.get(f"/jobs/{job}")["checkpointed_at"])
        # A start that the platform itself failed is repeated, and is no retry of the job's.
        epoch = robot.get(f"/jobs/{job}")["epoch"]
        (victim,) = client.containers.list(
            filters={"label": f"berth.allocation={job.replace('-', '')}.1"}
        )
        victim.kill("SIGKILL")

        done = robot.wait(job)
        again = (done["state"], done["retries"], done["epoch"])
        assert again == ("succeeded", 1, epoch + 1), robot.get(f"/workloads/{job}/events")
        assert_gone_on(outputs)
        homes = {item["node"]["name"] for item in done["allocations"] if item["epoch"] == epoch + 1}
        assert homes == {"gpu-train-1", "gpu-train-2"}
        network = f"berth-gang-{job.replace('-', '')}"
        wait_until(lambda: not client.networks.list(names=[network]))


def test_a_file_of_a_notebook_reaches_a_gang_and_its_outputs_the_next_job(
    docker_platform: Launched,
) -> None:
    """The home is one folder in all work of one person, on every node; outputs are read-only inputs."""
    robot = Pipeline(docker_platform.url, docker_platform.demo["robot_token"])
    asked = {"group": "vision", "image": "jupyter-python", "cpu_milli": 1000, "memory_mib": 1024}
    answer = robot.call("POST", "/environments", {**asked, "name": "by day", "slices": 1})
    assert answer.status == 202, answer
    notebook = str(answer.body["id"])
    wait_until(lambda: robot.get(f"/environments/{notebook}")["is_ready"], within_s=3 * PATIENCE_S)
    with docker_engine() as engine, engine.client(timeout_s=600) as client:
        (lab,) = client.containers.list(
            filters={"label": f"berth.allocation={notebook.replace('-', '')}.0"}
        )

        def inside(script: str) -> str:
            code, output = lab.exec_run(["sh", "-c", script])
            assert code == 0, output
            assert isinstance(output, bytes)
            return output.decode()

        assert inside("echo $HOME; pwd") == "/home/berth\n/home/berth\n"
        inside('echo "from the notebook" > "$HOME/words.txt"')
        script = (
            'cat "$HOME/words.txt" > "$BERTH_OUTPUT_DIR/$RANK.txt" &&'
            ' echo "$BERTH_NODE" > "$HOME/rank-$RANK.txt"'
        )
        gang = robot.started("by night", script, replicas=2, memory_mib=300 * 1024)
        done = robot.wait(gang)
        assert (done["state"], done["exit_code"]) == ("succeeded", 0), done
        nodes = {item["node"]["name"] for item in done["allocations"]}
        assert set(inside('cat "$HOME"/rank-*.txt').split()) == nodes
        assert len(nodes) == 2

        script = (
            "! touch /inputs/night/x && cat /inputs/night/?.txt /data/example/plants.csv"
            ' > "$BERTH_OUTPUT_DIR/both.txt"'
        )
        inputs = [{"job": gang, "name": "night"}]
        last = robot.started("after", script, inputs=inputs, datasets=["example"])
        assert robot.wait(last)["state"] == "succeeded"
        text = robot.text(f"/jobs/{last}/outputs/both.txt").splitlines()
        assert text[:3] == ["from the notebook", "from the notebook", "kind,length_cm,weight_g"]

        alone = robot.started(
            "without a home", '! grep -q " /home/berth " /proc/mounts', home=False
        )
        assert robot.wait(alone)["state"] == "succeeded"
    assert robot.call("DELETE", f"/environments/{notebook}").status in (202, 204)


def test_job_may_not_be_root(docker_platform: Launched) -> None:
    robot = Pipeline(docker_platform.url, docker_platform.demo["robot_token"])
    job = robot.started("who am i", 'test "$(id -u)" != 0')
    assert robot.wait(job)["state"] == "succeeded"
