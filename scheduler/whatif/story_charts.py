"""The last week of both tellings, drawn: who holds the cards, and who waits."""

from collections.abc import Sequence
from pathlib import Path

from scheduler.whatif.charts import pyplot, save
from scheduler.whatif.meter import Stretch
from scheduler.whatif.people import WEEK_MS
from scheduler.whatif.scenario import Scenario

_HOUR_MS = 3_600_000
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def draw_weeks(
    folder: str, scenario: Scenario, before: Sequence[Stretch], after: Sequence[Stretch]
) -> None:
    """Write `week.png` and `week.svg` into the folder, which is made."""
    plt = pyplot()
    figure, rows = plt.subplots(3, 1, figsize=(11, 8), sharex=True, layout="constrained")
    told = ((scenario.before.title, before), (scenario.after.title, after))
    for axes, (title, stretches) in zip(rows, told, strict=False):
        week = _last_week(stretches)
        hours = [(s.from_ms - week[0].from_ms) / _HOUR_MS for s in week]
        axes.stackplot(
            hours,
            [s.by_notebooks for s in week],
            [s.by_training for s in week],
            labels=["held by notebooks", "held by training"],
            colors=["#7aa6c2", "#d9a05b"],
            step="post",
        )
        axes.step(hours, [s.busy for s in week], where="post", color="#333333", lw=1, label="busy")
        axes.set(title=title, ylabel="cards", ylim=(0, scenario.site.cards))
        rows[2].step(hours, [s.waiting for s in week], where="post", label=title)
    rows[0].legend(loc="upper right", ncols=3)
    rows[2].legend(loc="upper right")
    rows[2].set(ylabel="waiting", xlim=(0, 168), xticks=range(0, 168, 24), xticklabels=_DAYS)
    Path(folder).mkdir(parents=True, exist_ok=True)
    save(plt, figure, folder, "week")


def _last_week(stretches: Sequence[Stretch]) -> list[Stretch]:
    began = stretches[-1].to_ms - WEEK_MS
    return [stretch for stretch in stretches if stretch.to_ms > began]
