"""Something to look at: work in every state, of the group of the robot."""

from typing import Final

from tests.e2e.pipeline import Pipeline, submit_array

TRAIN: Final = """
for step in 1 2 3 4 5 6 7 8 9 10 11 12; do
  echo "epoch $step of 12"
  echo "@metrics step=$step loss=0.$(printf %02d $((99 / step))) accuracy=0.$((50 + 3 * step))"
done
echo "done" > "$BERTH_OUTPUT_DIR/model.txt"
"""
FAILS: Final = "echo loading; python3 -c 'raise ValueError(\"shape (3, 224) is not (3, 256)\")'"


def set_scene(robot: Pipeline) -> None:
    """Start what is shown: work that ended well and badly, that runs, that waits, and an array."""
    robot.wait(robot.started("resnet50-imagenet", TRAIN, time_limit_s=3600))
    robot.wait(robot.started("vit-b16-finetune", FAILS, time_limit_s=3600))
    robot.wait(robot.started("detector-night", f"{TRAIN}\nsleep 7200", gpus=4), "running")
    robot.started("after-the-detector", "sleep 60", gpus=6, time_limit_s=3600)
    submit_array(robot, "0-7", 'echo "@metrics step=0 loss=0.$BERTH_ARRAY_INDEX"')
    robot.started("on-hold", "sleep 60", held=True)
