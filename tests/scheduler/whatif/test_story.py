"""`run SCENARIO`: the stories that come along, and what a wrong file is answered."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from scheduler.whatif.__main__ import main
from scheduler.whatif.people import NOTEBOOK, generate_demand
from scheduler.whatif.scenario import FOLDER, Busy, People, Scenario, ScenarioSite, load_scenario
from scheduler.whatif.story import compute_limit, run_story

AISTATION = (FOLDER / "aistation.toml").read_text(encoding="utf-8")


TINY = """
title = "One server"
about = ["Six people, one server."]
weeks = 1
settle_weeks = 0
site = { nodes = 2, gpus_per_node = 2 }
busy = { notebook_pct = 10, training_pct = 90 }

[[people]]
group = "lab"
members = 6
tasks_per_week = 4

[before]
title = "by hand"
by_hand = true
pools = [{ name = "all", nodes = 2, serves = ["notebooks", "tasks"] }]

[after]
title = "queued"

[[after.pools]]
name = "development"
nodes = 1
serves = ["notebooks"]
slices = 4
policy = { lending = { to_pools = ["training"] } }

[[after.pools]]
name = "training"
nodes = 1
serves = ["tasks"]
"""


def tiny(folder: Path) -> str:
    path = folder / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return str(path)


def short(name: str) -> Scenario:
    return replace(load_scenario(name), weeks=1, settle_weeks=0)


def test_the_old_regime_is_the_articles() -> None:
    before = run_story(short("aistation"), load_scenario("aistation").before)

    assert before.tasks_per_week == 160
    assert before.card_hours_per_card_day == pytest.approx(14.4, abs=0.2)
    assert before.utilisation_pct == pytest.approx(34.6, abs=1)
    assert before.notebooks_without_a_card_per_week == 18 * 5


def test_ours_on_the_same_people() -> None:
    """The first week begins empty on Monday at midnight: what it lacks is no loss of ours."""
    scenario = short("aistation")

    after = run_story(scenario, scenario.after)

    assert after.tasks_per_week > 350
    assert after.notebook_wait_s_max <= 120
    assert after.notebooks_without_a_card_per_week == 0
    assert after.tasks_per_week <= float(str(compute_limit(scenario)["tasks_per_week"]))


def test_the_same_seed_tells_the_same_story(tmp_path: Path) -> None:
    scenario = load_scenario(tiny(tmp_path))

    assert run_story(scenario, scenario.after) == run_story(scenario, scenario.after)


def test_both_regimes_have_the_same_notebooks() -> None:
    scenario = short("aistation")

    told = [
        {
            (job.workload.user, job.workload.submitted_at, job.leaves_ms)
            for job in generate_demand(scenario, regime)
            if job.workload.traits == NOTEBOOK
        }
        for regime in (scenario.before, scenario.after)
    ]

    assert told[0] == told[1]
    assert len(told[0]) == 50 * 5


def test_a_course_waits_for_one_notice_at_the_most() -> None:
    scenario = short("burst")

    after = run_story(scenario, scenario.after)

    assert 0 < after.notebook_wait_s_max <= 60
    assert after.notebooks_without_a_card_per_week == 0


def test_labs_that_borrow_wait_less_and_do_as_much() -> None:
    scenario = short("two_labs")

    before, after = run_story(scenario, scenario.before), run_story(scenario, scenario.after)

    assert after.task_hours_mean < before.task_hours_mean / 2
    assert after.tasks_per_week >= before.tasks_per_week


def test_the_command_writes_its_figures_and_charts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures, charts = tmp_path / "story.json", tmp_path / "charts"

    code = main(["run", tiny(tmp_path), "--json", str(figures), "--charts", str(charts)])

    assert code == 0
    told = json.loads(figures.read_text(encoding="utf-8"))
    for name in ("before", "after", "limit"):
        assert told[name].keys() >= {
            "card_hours_per_card_day",
            "utilisation_pct",
            "tasks_per_week",
            "notebook_wait_s_max",
        }
    assert told["assumptions"][0] in capsys.readouterr().out
    assert {file.name for file in charts.iterdir()} == {"week.png", "week.svg"}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("nodes = 4\n", "nods = 4\n", "site.nods is not known; known are nodes, "),
        ("nodes = 4\n", "", "site.nodes is missing"),
        ("nodes = 4\n", 'nodes = "four"\n', "site.nodes must be a whole number"),
        ("nodes = 4\n", "nodes = 5\n", "the pools of before must have 5 nodes together"),
        ('arrive = ["08:30"', 'arrive = ["8.30"', "people[0]: '8.30' is not a time such as 08:30"),
        ('"Mon 20:00 - ', '"Mo 20:00 - ', "windows[0]: 'Mo' is not a day; days are Mon, "),
        ("keep_gpus = 1", "keep_gpu = 1", "policy.lending.keep_gpu is not known"),
        ("bound_s = 120", "bound_s = 20", "a lender cannot promise less than"),
        ('serves = ["tasks"]', 'serves = ["games"]', "serves must name notebooks, tasks or both"),
        ("training_pct = 90", "training_pct = 900", "must be from 0 to 100"),
        ("[site]", "[site", "aistation.toml: "),
    ],
)
def test_a_wrong_file_is_one_clear_line(
    old: str, new: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in AISTATION
    path = tmp_path / "aistation.toml"
    path.write_text(AISTATION.replace(old, new, 1), encoding="utf-8")

    assert main(["run", str(path)]) == 2

    told = capsys.readouterr().err
    assert complaint in told
    assert len(told.splitlines()) == 1


def test_an_unknown_story_names_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "nonsense"]) == 2

    assert "aistation, burst, night_shift, two_labs" in capsys.readouterr().err


def test_every_key_of_a_story_is_explained_where_it_is_read() -> None:
    """The file shows every key of people and site; a new key needs a line there too."""
    shown = set(re.findall(r"^(\w+) = ", AISTATION, flags=re.MULTILINE))

    for table in (ScenarioSite, Busy, People):
        assert set(table.__slots__) <= shown
