"""MLflow and Optuna themselves, in the work of users: what jobs log is shown, what tasks learn is shared."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from nodeagent.host.free_ports import find_free_port
from nodeagent.launch.environment import ContainerPaths, container_environment
from portal.apps.commands import render_script
from portal.apps.presets import MLFLOW
from tests.fakes.work import SLEEPS, an_order
from tests.packages import packages_of
from tests.waiting import PATIENCE_S, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(900)]

LOG: Final = """
import mlflow
with mlflow.start_run(run_name="night"):
    mlflow.log_param("lr", 0.1)
    for step in range(3):
        mlflow.log_metric("loss", 1 / (step + 1), step=step)
"""
SEARCH: Final = """
import os, pathlib, optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
place = pathlib.Path.home() / "sweeps" / os.environ["BERTH_ARRAY_ID"] / "optuna.journal"
place.parent.mkdir(parents=True, exist_ok=True)
study = optuna.create_study(
    study_name="sweep",
    storage=JournalStorage(JournalFileBackend(str(place))),
    load_if_exists=True,
)
study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=2)
print(len(study.trials))
"""
TASKS: Final = 3


@pytest.fixture(scope="module")
def site() -> Path:
    return packages_of("experiments")


def environment(site: Path, folder: Path, **order: Any) -> dict[str, str]:
    """Return the variables of a job whose image has the packages, and whose outputs are in a folder."""
    path = f"{site / 'bin'}:{Path(sys.executable).parent}:{os.defpath}"
    paths = ContainerPaths(str(folder), str(folder / "outputs"), path)
    made = container_environment(an_order(SLEEPS, env={}, **order), paths, "gpu-1")
    return {**made, "PYTHONPATH": str(site)}


@contextmanager
def serving_mlflow(folder: Path, variables: dict[str, str]) -> Iterator[str]:
    """Provide the address of the app as its button starts it, on the outputs below a folder."""
    port = find_free_port("127.0.0.1")
    script = render_script(MLFLOW.command, folder='"$SHOWN"', port=port, base_path='""')
    started = subprocess.Popen(
        ["/bin/sh", "-c", script],
        env={**variables, "SHOWN": str(folder / "outputs")},
        cwd=folder,
        start_new_session=True,
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(started.pid, 15)
        started.wait()


def find_runs(address: str) -> list[Any]:
    """Ask MLflow for the runs of its first experiment; none while it does not answer."""
    body = json.dumps({"experiment_ids": ["0"]}).encode()
    where = f"{address}/ajax-api/2.0/mlflow/runs/search"
    try:
        with urlopen(Request(where, body, {"Content-Type": "application/json"})) as answer:
            return list(json.load(answer).get("runs", []))
    except URLError:
        return []


def test_mlflow_shows_what_a_job_has_logged_without_an_address(site: Path, tmp_path: Path) -> None:
    variables = environment(site, tmp_path)
    (tmp_path / "outputs").mkdir()
    subprocess.run([sys.executable, "-c", LOG], env=variables, cwd=tmp_path, check=True)
    logged = {path for path in (tmp_path / "outputs" / "mlruns").rglob("*") if path.is_file()}

    with serving_mlflow(tmp_path, variables) as address:
        wait_until(lambda: find_runs(address), within_s=4 * PATIENCE_S)
        (run,) = find_runs(address)

    assert run["info"]["run_name"] == "night"
    assert [(item["key"], item["value"]) for item in run["data"]["params"]] == [("lr", "0.1")]
    (loss,) = run["data"]["metrics"]
    assert (loss["key"], loss["step"]) == ("loss", 2)
    assert {
        path for path in (tmp_path / "outputs" / "mlruns").rglob("*") if path.is_file()
    } == logged


def test_tasks_of_an_array_search_together_by_one_file_in_the_home(
    site: Path, tmp_path: Path
) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", SEARCH],
            env=environment(site, tmp_path, array={"id": "sweep", "index": index, "size": TASKS}),
            stdout=subprocess.PIPE,
            text=True,
        )
        for index in range(TASKS)
    ]
    counts = [int(task.communicate()[0]) for task in started]
    assert [task.returncode for task in started] == [0] * TASKS
    assert max(counts) == 2 * TASKS
