"""What past jobs have printed: the start, the progress with metrics, and the error of failed ones."""

import math
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from portal.demo.past.plan import Attempt, Draw, Ending, PastJob

STEPS_MAX: Final = 160
"""Metrics lines of one attempt."""
STEP_S: Final = 90
"""Least time between two of them."""
_TRACEBACK: Final = """Traceback (most recent call last):
  File "/work/{file}", line {line}, in <module>
    main()
  File "/work/{file}", line {inner}, in main
    trainer.fit(model, loader)
  File "/work/trainer.py", line 214, in fit
    loss = self.step(batch)
"""
ERRORS: Final[Mapping[str, str]] = {
    "cuda_out_of_memory": _TRACEBACK
    + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.44 GiB. GPU 0 has a total capacity of"
    " 31.74 GiB of which 1.18 GiB is free. Including non-PyTorch memory, this process has 30.55 GiB memory in"
    " use. Of the allocated memory 28.91 GiB is allocated by PyTorch, and 1.02 GiB is reserved by PyTorch but"
    " unallocated.\n",
    "file_not_found": _TRACEBACK
    + "FileNotFoundError: [Errno 2] No such file or directory: '/data/{project}/train.idx'\n",
    "shape_mismatch": _TRACEBACK
    + "RuntimeError: mat1 and mat2 shapes cannot be multiplied (256x1024 and 768x512)\n",
    "module_not_found": 'Traceback (most recent call last):\n  File "/work/{file}", line 7, in <module>\n'
    "    import flash_attn\nModuleNotFoundError: No module named 'flash_attn'\n",
    "loss_is_nan": _TRACEBACK + "FloatingPointError: loss is nan, stopped\n",
    "nccl_timeout": "[rank0]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=18231,"
    " OpType=ALLREDUCE) ran for 600041 milliseconds before timing out.\nAborted (core dumped)\n",
    "dataloader_died": _TRACEBACK
    + "RuntimeError: DataLoader worker (pid 4127) exited unexpectedly with exit code 1. Details are lost due"
    " to multiprocessing.\n",
    "killed": "",
}
"""By `Fate.error`."""


class LogLine(NamedTuple):
    """A line and when it was printed, in seconds since the past began."""

    at_s: int
    text: str


def log_lines(job: PastJob, attempt: Attempt) -> Iterator[LogLine]:
    """Yield what the first rank of an attempt has printed."""
    draw = Draw(f"{job.number}/{attempt.placed_s}")
    begins, ends = attempt.runs_s, max(attempt.ends_s, attempt.runs_s + 1)
    gpus = job.cards
    yield LogLine(begins, f"{job.name}: {gpus} GPU{'s' if gpus > 1 else ''}, seed {job.number}")
    yield LogLine(begins, f"$ {job.project.script}")
    yield from _progress(draw, job, begins, ends)
    if attempt.ending in (Ending.FAILED, Ending.RETRIED):
        yield from _error(draw, job, ends)
    elif attempt.ending in (Ending.EVICTED, Ending.EXPIRED):
        yield LogLine(ends - 1, "SIGTERM: checkpoint saved, leaving")
    elif attempt.ending is Ending.SUCCEEDED:
        yield LogLine(ends, "finished; model saved to /outputs/last.pt")


def _progress(draw: Draw, job: PastJob, begins: int, ends: int) -> Iterator[LogLine]:
    """Yield the lines of metrics: a loss that falls, a score that rises."""
    count = min(STEPS_MAX, (ends - begins) // STEP_S)
    high, low, speed = draw.uniform(2, 7), draw.uniform(0.15, 1.2), draw.uniform(2.5, 5)
    reached = (ends - begins) / max(job.length_s, 1)
    for number in range(1, count + 1):
        part = number / count * min(reached, 1)
        loss = low + (high - low) * math.exp(-speed * part) * draw.uniform(0.93, 1.07)
        score = (1 - math.exp(-speed * part)) * draw.uniform(0.88, 0.91)
        rate = 3e-4 * 0.5 * (1 + math.cos(math.pi * part))
        at, step = begins + (ends - begins) * number // (count + 1), number * 50
        yield LogLine(
            at,
            f"@metrics step={step} time={{unix}} train/loss={loss:.4f} val/score={score:.4f} lr={rate:.3e}",
        )


def _error(draw: Draw, job: PastJob, ends: int) -> Iterator[LogLine]:
    words = job.project.script.split()
    file = next((word for word in words if word.endswith(".py")), "train.py")
    line = draw.randint(120, 400)
    text = ERRORS[job.fate.error].format(
        file=file, line=line, inner=line - 31, project=job.project.name
    )
    for each in text.splitlines():
        yield LogLine(ends, each)
