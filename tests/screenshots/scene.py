"""Something to look at: work in every state, of the group of the robot."""

from typing import Final

import psycopg

from deploy.onebox.stores import DATABASE, Stores
from tests.e2e.pipeline import Pipeline, submit_array
from tests.e2e.story import Site
from tests.launcher import Launched

TRAIN: Final = """
for step in 1 2 3 4 5 6 7 8 9 10 11 12; do
  echo "epoch $step of 12"
  echo "@metrics step=$step loss=0.$(printf %02d $((99 / step))) accuracy=0.$((50 + 3 * step))"
done
echo "done" > "$BERTH_OUTPUT_DIR/model.txt"
"""
FAILS: Final = "echo loading; python3 -c 'raise ValueError(\"shape (3, 224) is not (3, 256)\")'"
_AMOUNTS: Final = (
    *("gpu_milli_ms", "fraction_milli_ms", "gpu_memory_mib_ms", "cpu_milli_ms", "memory_mib_ms"),
    *("sampled_milli_ms", "idle_milli_ms", "busy_milli_ms"),
    *("measured_milli_ms", "energy_mj", "carbon_mg"),
)
_SUMS: Final = ", ".join(f"sum({name})::bigint" for name in _AMOUNTS)
_SUM_WEEKS: Final = f"""
INSERT INTO metering_usageweek (week, group_id, user_id, model, {", ".join(_AMOUNTS)})
SELECT date_trunc('week', day)::date, group_id, user_id, model, {_SUMS}
FROM metering_usageday WHERE user_id = %(user)s GROUP BY 1, 2, 3, 4
"""
_SUM_DAYS: Final = f"""
INSERT INTO metering_usagegroupday (day, group_id, model, {", ".join(_AMOUNTS)})
SELECT day, group_id, model, {_SUMS} FROM metering_usageday GROUP BY 1, 2, 3
"""


def set_scene(robot: Pipeline) -> None:
    """Start what is shown: work that ended well and badly, that runs, that waits, and an array."""
    robot.wait(robot.started("resnet50-imagenet", TRAIN, time_limit_s=3600))
    robot.wait(robot.started("vit-b16-finetune", FAILS, time_limit_s=3600))
    robot.wait(robot.started("detector-night", f"{TRAIN}\nsleep 7200", gpus=4), "running")
    robot.started("after-the-detector", "sleep 60", gpus=6, time_limit_s=3600)
    submit_array(robot, "0-7", 'echo "@metrics step=0 loss=0.$BERTH_ARRAY_INDEX"')
    robot.started("on-hold", "sleep 60", held=True)


def add_past_weeks(platform: Site, user: str) -> None:
    """Add three weeks of use to what has been counted of somebody's work: 2 to 10 GPU-hours on working days."""
    assert isinstance(platform, Launched), "its database is on this host"
    host = str(Stores(platform.data_dir).socket_dir / "pg")
    with psycopg.connect(host=host, user="postgres", dbname=DATABASE, autocommit=True) as database:
        database.execute(
            """
            INSERT INTO metering_usageday
            SELECT (jsonb_populate_record(counted, jsonb_build_object(
                'id', nextval(pg_get_serial_sequence('metering_usageday', 'id')),
                'day', counted.day - past, 'kind', 'training', 'outcome', 'completed',
                'gpu_milli_ms', held, 'fraction_milli_ms', 0, 'cpu_milli_ms', 4 * held,
                'sampled_milli_ms', held, 'idle_milli_ms', held / 12, 'busy_milli_ms', held * 64 / 100,
                'measured_milli_ms', held, 'energy_mj', held * 41 / 100, 'carbon_mg', NULL))).*
            FROM metering_usageday counted, generate_series(1, 21) past,
                LATERAL (SELECT 7200000000 * (1 + past * 7 %% 5) held) amount
            WHERE extract(isodow FROM counted.day - past) < 6 AND counted.id =
                (SELECT max(id) FROM metering_usageday WHERE user_id = %(user)s AND model <> '')
            """,
            {"user": user},
        )
        database.execute("DELETE FROM metering_usageweek WHERE user_id = %(user)s", {"user": user})
        database.execute(_SUM_WEEKS, {"user": user})
        database.execute("DELETE FROM metering_usagegroupday")
        database.execute(_SUM_DAYS)
