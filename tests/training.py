"""A training of two ranks on gloo that saves itself, and what it leaves behind."""

from pathlib import Path
from typing import Final

MORE_STEPS: Final = 20
TRAIN: Final = f"""#!/usr/bin/env python3
import os, threading
import torch
import torch.distributed as dist

out = os.environ["BERTH_OUTPUT_DIR"]
path = f"{{out}}/model.pt"
dist.init_process_group("gloo")
rank, restart = dist.get_rank(), int(os.environ["BERTH_RESTART"])
model = torch.load(path) if os.path.exists(path) else torch.zeros(1)
with open(f"{{out}}/starts.{{rank}}", "a") as starts:
    print(restart, int(model), dist.get_world_size(), os.environ["BERTH_NODE"], file=starts)
# The first attempt goes on until it is killed.
goal = int(model) + {MORE_STEPS} if restart else 10**9
while int(model) < goal:
    step = torch.ones(1)
    dist.all_reduce(step)
    model += step / dist.get_world_size()
    if rank == 0:
        torch.save(model, path + ".new")
        os.replace(path + ".new", path)
        open(os.environ["BERTH_CHECKPOINT_FILE"], "w").close()
        with open(f"{{out}}/steps", "a") as steps:
            print(restart, int(model), file=steps)
    threading.Event().wait(0.02)
dist.barrier()
dist.destroy_process_group()
"""


def steps_of(outputs: Path, restart: int) -> list[int]:
    """Return the steps that an attempt has saved, in their order."""
    file = outputs / "steps"
    lines = file.read_text().splitlines() if file.exists() else []
    pairs = [line.split() for line in lines if len(line.split()) == 2]
    return [int(step) for of, step in pairs if int(of) == restart]


def starts_of(outputs: Path, rank: int) -> list[list[str]]:
    """Return what a rank has said at each of its starts: restart, step, world size, node."""
    return [line.split() for line in (outputs / f"starts.{rank}").read_text().splitlines()]


def assert_gone_on(outputs: Path) -> None:
    """Check that the second attempt of both ranks began where rank 0 had saved the first one."""
    saved = int(starts_of(outputs, 0)[1][1])
    assert saved >= steps_of(outputs, 0)[-1] > 10
    assert steps_of(outputs, 1) == list(range(saved + 1, saved + 1 + MORE_STEPS))
    for rank in range(2):
        first, second = starts_of(outputs, rank)
        assert first[:3] == ["0", "0", "2"]
        assert second[:3] == ["1", str(saved), "2"]
