"""What simulated jobs run, in a real shell: metrics that the portal reads, ends, and going on after an eviction."""

import subprocess
from pathlib import Path

import pytest

from nodeagent.gpu.declared_load import parse_declared_load
from portal.demo.activity.drafts import SUBJECTS, draft_job, draft_notebook, seeded
from portal.demo.activity.programs import Training, TrainingEnding, training_script
from portal.demo.organisation import TEAMS
from portal.training_metrics.metric_lines import read_lines


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, as a node would."""
    path = folder / "script"
    path.write_text(script)
    env = {
        "BERTH_OUTPUT_DIR": str(folder),
        "BERTH_CHECKPOINT_FILE": str(folder / "checkpointed"),
        "PATH": "/usr/bin:/bin",
    }
    return subprocess.run(
        ["/bin/sh", str(path)], env=env, capture_output=True, text=True, check=False
    )


def a_training(**changed: object) -> Training:
    return Training("vit", "imagenet", epochs=30, epoch_s=0, **changed)  # type: ignore[arg-type]


def test_a_training_prints_what_the_portal_reads_and_ends_well(tmp_path: Path) -> None:
    ended = run(training_script(a_training(), salt=7), tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    found = read_lines(ended.stdout.encode())
    assert found.malformed == 0
    assert [line.step for line in found.lines] == list(range(1, 31))
    loss = [line.values["loss"] for line in found.lines]
    accuracy = [line.values["accuracy"] for line in found.lines]
    assert loss[-1] < loss[0] / 2
    assert accuracy[-1] > accuracy[0]
    assert 0 < min(accuracy) <= max(accuracy) < 1
    assert (tmp_path / "checkpointed").exists()


@pytest.mark.parametrize(
    ("ending", "says"),
    [
        (TrainingEnding.OUT_OF_MEMORY, "torch.OutOfMemoryError: CUDA out of memory."),
        (TrainingEnding.BROKEN, "RuntimeError: stack expects each tensor to be equal size"),
    ],
)
def test_a_training_fails_with_a_traceback(
    tmp_path: Path, ending: TrainingEnding, says: str
) -> None:
    ended = run(training_script(a_training(ending=ending, fails_after=4), salt=1), tmp_path)
    assert ended.returncode == 1
    assert ended.stderr.startswith("Traceback (most recent call last):")
    assert says in ended.stderr
    assert len(read_lines(ended.stdout.encode()).lines) == 4


def test_an_attempt_goes_on_where_the_one_before_was_evicted(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_text("25\n")
    ended = run(training_script(a_training(), salt=1), tmp_path)
    assert "resuming from checkpoint of epoch 25" in ended.stdout
    assert [line.step for line in read_lines(ended.stdout.encode()).lines] == [26, 27, 28, 29, 30]


@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_drawn_can_be_submitted(seed: int) -> None:
    rng = seeded(seed)
    for team in TEAMS:
        job = draft_job(rng, owner=team.people[0], group=team.name, gpus=1)
        assert 60 <= job.time_limit_s <= 3 * 3600
        assert len(job.name) <= 63
        assert parse_declared_load(job.load).high_pct >= 70
        for is_on_share in (False, True):
            notebook = draft_notebook(
                rng, owner=team.people[0], group=team.name, is_on_share=is_on_share
            )
            assert bool(notebook.slices) is not is_on_share
            assert parse_declared_load(notebook.load).memory_mib > 0


def test_every_team_has_something_to_train() -> None:
    assert SUBJECTS.keys() == {team.name for team in TEAMS}
