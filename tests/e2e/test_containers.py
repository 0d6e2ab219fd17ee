"""Work in real Docker containers: jobs, gangs, and the story from a notebook to a trained model."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.clusters import attempts_in, program_on
from tests.docker_engine import docker_engine
from tests.docker_registry import PASSWORD, DockerRegistry
from tests.e2e import night
from tests.e2e.apps import open_tensorboard
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import SitDown, choose, press, run_cell, unfold
from tests.e2e.training import offer_image
from tests.e2e.words import ENGLISH
from tests.launcher import Launched
from tests.training import TRAIN, assert_gone_on, steps_of
from tests.training_images import training_image
from tests.waiting import PATIENCE_S, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.docker, pytest.mark.timeout(900)]


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
        offer_image(docker_platform, "torch", training_image(client, "torch"))
        robot = Pipeline(docker_platform.url, docker_platform.demo["robot_token"])
        job = robot.started(
            "two ranks",
            TRAIN,
            image="torch",
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


@pytest.mark.long
@pytest.mark.parametrize("launcher", ["dask", "ray"])
def test_a_cluster_of_containers_starts_again_after_a_rank_was_killed(
    docker_platform: Launched, launcher: str
) -> None:
    with docker_engine() as engine, engine.client(timeout_s=600) as client:
        offer_image(docker_platform, launcher, training_image(client, launcher))
        robot = Pipeline(docker_platform.url, docker_platform.demo["robot_token"])
        job = robot.started(
            f"on {launcher}",
            program_on(launcher),
            image=launcher,
            launcher=launcher,
            replicas=2,
            memory_mib=300 * 1024,  # more than half a node
            retries_max=1,
            restart={"rule": "on_failure"},
        )
        outputs = docker_platform.data_dir / "storage" / "outputs" / job
        wait_until(lambda: len(attempts_in(outputs)) == 1, within_s=4 * PATIENCE_S)
        rank = f"berth.allocation={job.replace('-', '')}.1"
        (victim,) = client.containers.list(filters={"label": rank})
        victim.kill("SIGKILL")
        done = robot.wait(job)
    assert (done["state"], done["retries"]) == ("succeeded", 1), robot.get(
        f"/workloads/{job}/events"
    )
    for number, (restart, ranks, total) in enumerate(attempts_in(outputs)):
        assert (restart, total) == (number, 285)
        assert [[cpus, gpus] for _, cpus, gpus in ranks] == [[1, 1], [1, 1]]
        assert len({host for host, _, _ in ranks}) == 2


def test_a_dockerfile_becomes_an_image_that_jobs_start_from(
    docker_platform: Launched, person: SitDown
) -> None:
    api = night.with_token(person(docker_platform, ENGLISH))
    text = 'FROM python\nENV WORD=built\nRUN echo "$WORD as $(id -un)" > /made.txt\n'
    body = {**night.SMALL, "name": "made", "dockerfile": text}
    built = api.wait(night.asked(api, "POST", "/image-builds", body)["id"])
    log = api.text(f"/jobs/{built['id']}/logs?rank=0&offset=0")
    assert (built["state"], built["exit_code"]) == ("succeeded", 0), log
    assert log.endswith("The image is saved: zhang.min/made\n")
    job = api.started("on it", 'echo "$WORD"; cat /made.txt', image="zhang.min/made")
    assert api.wait(job)["state"] == "succeeded"
    assert api.text(f"/jobs/{job}/logs?rank=0&offset=0") == "built\nbuilt as root\n"


def test_job_may_not_be_root(docker_platform: Launched) -> None:
    robot = Pipeline(docker_platform.url, docker_platform.demo["robot_token"])
    job = robot.started("who am i", 'test "$(id -u)" != 0')
    assert robot.wait(job)["state"] == "succeeded"


def test_from_a_notebook_to_a_trained_model_by_the_pages(
    docker_platform: Launched, person: SitDown, tmp_path: Path
) -> None:
    me = person(docker_platform, ENGLISH)
    me.sign_in("wang.fang")
    page = me.page
    night.upload(me, tmp_path)
    me.create_notebook("by day")
    notebook = page.url.rpartition("/")[2]
    lab = me.open_notebook()
    expect(lab.locator("a.berth-status")).to_have_attribute("href", page.url)
    run_cell(lab, 'exec(open("story/install.py").read())', str(len(night.DATA)))
    lab.close()
    night.save_image(me, "with-words")
    page.goto(f"{docker_platform.url}/notebooks/{notebook}")
    me.stop_notebook()

    page.get_by_role("link", name=ENGLISH.texts("features/notebooks")["runAsJob"]).click()
    said = ENGLISH.texts("features/jobs")
    page.get_by_role("textbox", name=ENGLISH.name, exact=True).fill("by night")
    _fill_in(page, said["form"])
    press(page, ENGLISH.submit_job)
    me.sees_state("succeeded")
    job = page.url.rpartition("/")[2].partition("?")[0]
    page.get_by_role("tab", name=said["tab"]["metrics"]).click()
    expect(page.get_by_role("img", name="loss: 0.2")).to_be_visible()
    page.get_by_role("tab", name=said["tab"]["outputs"]).click()
    board = open_tensorboard(page)
    board.close()

    page.goto(f"{docker_platform.url}/jobs/{job}?tab=outputs")
    page.get_by_text(said["outputs"]["use"], exact=True).click()
    page.get_by_role("textbox", name=ENGLISH.name, exact=True).fill("the day after")
    page.get_by_role("textbox", name=ENGLISH.script, exact=True).fill(night.USE)
    press(page, ENGLISH.submit_job)
    me.sees_state("succeeded")
    last = page.url.rpartition("/")[2].partition("?")[0]
    assert me.ask("GET", f"jobs/{last}/outputs/last.txt").text() == night.LEARNT

    page.goto(f"{docker_platform.url}/notebooks/{notebook}")
    me.start_notebook()
    lab = me.open_notebook()
    expect(lab.locator(".jp-DirListing-item", has_text="story")).to_be_visible()
    lab.close()
    me.call("DELETE", f"environments/{notebook}")


def test_the_same_by_the_api(
    docker_platform: Launched, hub: DockerRegistry, person: SitDown
) -> None:
    """With a token only; and nothing of the notebook's run is in the image but what was installed."""
    api = night.with_token(person(docker_platform, ENGLISH))
    home = night.asked(api, "POST", "/volumes/home")["id"]
    for name, text in (("plants.csv", night.DATA), ("train.py", night.TRAIN)):
        night.tus_upload(api, home, f"story/{name}", text)
    notebook, jupyter_token = night.develop(api)
    image = night.save_by_api(api, notebook)
    everything = hub.unpacked(f"berth/{image['save']}", image["digest"])
    assert night.MODULE.encode() in everything
    for absent in (night.SECRET, jupyter_token, "fern,12.5"):
        assert absent.encode() not in everything
    said = "".join(path.read_text() for path in (docker_platform.data_dir / "log").glob("*"))
    assert PASSWORD not in said

    gang, nodes = night.train(api, image["name"])
    assert len(nodes) == 2
    with night.container_of(notebook) as lab:
        _, seen = lab.exec_run(["sh", "-c", 'cat "$HOME"/story/seen-?.txt'])
        assert isinstance(seen, bytes)
        assert all(node in seen.decode() for node in nodes)
    night.look_at(api, gang)
    again = {"inputs": [{"job": gang, "name": "night"}], "datasets": ["example"]}
    last = api.started("the day after", f"{night.USE} && test -r /data/example/plants.csv", **again)
    assert api.wait(last)["state"] == "succeeded"
    assert api.text(f"/jobs/{last}/outputs/last.txt") == night.LEARNT
    alone = api.started("without a home", '! grep -q " /home/berth " /proc/mounts', home=False)
    assert api.wait(alone)["state"] == "succeeded"
    night.asked(api, "DELETE", f"/environments/{notebook}")


def _fill_in(page: Page, said: Any) -> None:
    """Run the training of the night on two ranks, in the image that was saved by day."""
    choose(page, ENGLISH.texts("shared/submission")["image"], "with-words")
    unfold(page, said["ranks"])
    page.get_by_role("spinbutton", name=said["ranks"], exact=True).fill("2")
    page.get_by_text(said["ways"]["script"], exact=True).click()
    page.get_by_role("textbox", name=ENGLISH.script, exact=True).fill(night.RUN)
