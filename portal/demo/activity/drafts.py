"""What people of the demo submit: names, lengths, curves and ends of their work, drawn from a seed."""

from dataclasses import dataclass
from random import Random
from typing import Final

from portal.demo.activity.programs import Training, TrainingEnding, training_script
from portal.demo.activity.world import JobDraft, NotebookDraft

MINUTE_S: Final = 60
LENGTH_S: Final = (3 * MINUTE_S, 40 * MINUTE_S)
EPOCH_S: Final = (14, 30)
SLACK: Final = 1.5
"""Time limit of a job, in lengths of it."""
LIMIT_STEP_S: Final = 5 * MINUTE_S
SLICE_MIB: Final = 4096
SHARE_SIZES: Final = ((100, 4_096), (200, 8_192), (250, 10_240), (400, 16_384))
"""Thousandths of a card with MiB of its memory, as notebooks ask for them."""


@dataclass(frozen=True, slots=True)
class TrainingSubject:
    """What a team trains."""

    model: str
    data: str


SUBJECTS: Final = {
    "vision": (
        TrainingSubject("resnet50", "imagenet-1k"),
        TrainingSubject("vit-b16", "imagenet-1k"),
        TrainingSubject("yolo11m", "street-scenes"),
        TrainingSubject("sam-distill", "sa-1b-part"),
    ),
    "language": (
        TrainingSubject("qwen2.5-1.5b-sft", "instructions-zh"),
        TrainingSubject("bert-ner", "news-entities"),
        TrainingSubject("reranker", "search-pairs"),
        TrainingSubject("llama3-8b-lora", "support-dialogues"),
    ),
    "speech": (
        TrainingSubject("whisper-small-zh", "aishell-4"),
        TrainingSubject("conformer", "meeting-audio"),
        TrainingSubject("hifigan", "tts-voices"),
    ),
    "recsys": (
        TrainingSubject("dlrm", "clicks-2026-10"),
        TrainingSubject("two-tower", "clicks-2026-10"),
        TrainingSubject("din-ctr", "shop-sessions"),
        TrainingSubject("sasrec", "watch-history"),
    ),
    "robotics": (
        TrainingSubject("grasp-policy", "bin-picking"),
        TrainingSubject("diffusion-policy", "teleop-runs"),
        TrainingSubject("ppo-quadruped", "simulator"),
        TrainingSubject("pointnet-slam", "warehouse-lidar"),
    ),
}
NOTEBOOK_NAMES: Final = ("explore", "debug", "evaluation", "plots", "data-check", "prototype")


def draft_job(
    rng: Random, *, owner: str, group: str, gpus: int, length_s: int = 0, replicas: int = 1
) -> JobDraft:
    """Return a training of a person: as long as drawn unless `length_s` says, with its end drawn too."""
    training = _draw_training(rng, group, length_s or _draw_length(rng))
    fits = training.length_s * SLACK
    limit_s = int(fits // LIMIT_STEP_S + 1) * LIMIT_STEP_S
    if (
        training.ending is TrainingEnding.WELL
        and rng.random() < 0.06
        and training.length_s > LIMIT_STEP_S
    ):
        limit_s = max(LIMIT_STEP_S // 2, int(training.length_s * 0.8))
    return JobDraft(
        owner=owner,
        group=group,
        name=f"{training.model}-{rng.choice(('lr3e-4', 'lr1e-4', 'bs256', 'bs512', 'aug', 'seed7'))}",
        gpus=gpus,
        script=training_script(training, salt=rng.randrange(10_000)),
        load=_training_load(rng, training.epoch_s),
        time_limit_s=limit_s,
        replicas=replicas,
    )


def draft_notebook(rng: Random, *, owner: str, group: str, is_on_share: bool) -> NotebookDraft:
    """Return a notebook of a person; some of them leave their GPU idle."""
    name = f"{group}-{rng.choice(NOTEBOOK_NAMES)}"
    if is_on_share:
        milli, mib = rng.choice(SHARE_SIZES)
        load = _notebook_load(rng, mib)
        return NotebookDraft(owner, group, name, load, gpu_milli=milli, gpu_memory_mib=mib)
    slices = rng.choice((1, 2, 2, 3, 4, 4))
    return NotebookDraft(owner, group, name, _notebook_load(rng, slices * SLICE_MIB), slices=slices)


def seeded(*words: object) -> Random:
    """Return a generator that draws the same for the same words."""
    return Random("/".join(map(str, words)))


def draw_stay_s(seed: int, work: str) -> int:
    """Return how long a person stays in a notebook: 25 minutes to two hours and a half."""
    return seeded(seed, "stay", work).randint(25 * MINUTE_S, 150 * MINUTE_S)


def draw_hold_s(seed: int, work: str) -> int:
    """Return how long held work waits for its owner."""
    return seeded(seed, "hold", work).randint(3 * MINUTE_S, 9 * MINUTE_S)


def draw_patience_s(seed: int, work: str) -> int:
    """Return how long a person waits for the start of a job."""
    return seeded(seed, "patience", work).randint(20 * MINUTE_S, 50 * MINUTE_S)


def draw_regret_s(seed: int, work: str) -> int | None:
    """Return after how long a running job is cancelled by its owner; None is never."""
    rng = seeded(seed, "regret", work)
    return rng.randint(2 * MINUTE_S, 10 * MINUTE_S) if rng.random() < 0.05 else None


def _draw_length(rng: Random) -> int:
    shortest, longest = LENGTH_S
    return round(min(longest, max(shortest, rng.lognormvariate(6.6, 0.7))))


def _draw_training(rng: Random, group: str, length_s: int) -> Training:
    subject = rng.choice(SUBJECTS[group])
    epoch_s = rng.randint(*EPOCH_S)
    epochs = max(3, length_s // epoch_s)
    ending = rng.choices(list(TrainingEnding), weights=(88, 8, 4))[0]
    return Training(
        model=subject.model,
        data=subject.data,
        epochs=epochs,
        epoch_s=epoch_s,
        ending=ending,
        fails_after=rng.randint(2, epochs),
        loss_milli=rng.randint(1_800, 5_200),
        best_permille=rng.randint(780, 965),
    )


def _training_load(rng: Random, epoch_s: int) -> str:
    high = rng.randint(72, 97)
    low = rng.randint(10, 45)
    memory = rng.randint(9, 29) * 1000
    return (
        f"use={low}..{high} period={epoch_s} duty={rng.randint(70, 92)} warmup=25 memory={memory}"
    )


def _notebook_load(rng: Random, memory_mib: int) -> str:
    used = memory_mib * rng.randint(15, 85) // 100
    if rng.random() < 0.25:
        return f"use=0 memory={used}"
    high, period, duty = rng.randint(25, 80), rng.randint(90, 400), rng.randint(10, 45)
    return f"use=0..{high} period={period} duty={duty} warmup=60 memory={used}"
