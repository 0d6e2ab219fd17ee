"""What the groups of the demo work on."""

from collections.abc import Mapping, Sequence
from typing import Final

from portal.demo.past.plan import Project

VARIANTS: Final = (
    *("", "", "", "-lr1e-4", "-lr3e-4", "-bs256", "-bs512", "-seed7", "-seed42", "-v2", "-v3"),
    *("-ema", "-no-aug", "-bf16", "-long", "-ablation"),
)
"""What tells two runs of one project apart."""
NOTEBOOKS: Final = ("explore", "debug", "eda", "plots", "prototype", "review", "labels", "errors")

PROJECTS: Final[Mapping[str, Sequence[Project]]] = {
    "vision": (
        Project("resnet50-imagenet", 4, 8, "torchrun train.py --arch resnet50", ("baseline",), 3),
        Project("vit-b16-pretrain", 8, 9, "torchrun pretrain.py --model vit_b16", ("paper",), 2),
        Project("yolov8-coco", 2, 6, "python train_yolo.py --data coco.yaml", ("detection",)),
        Project("mask2former-ade20k", 4, 7, "python train_net.py --config ade20k.yaml", ("segmentation",)),
        Project("sam-adapter-tune", 1, 5, "python tune_adapter.py --freeze encoder", ("segmentation",), 5, use_pct=80),
        Project("robustness-eval", 1, 0.9, "python evaluate.py --suite imagenet-c", ("eval",), 7, use_pct=74),
    ),
    "language": (
        Project("llama-pretrain-350m", 8, 5, "torchrun pretrain.py --size 350m", ("paper",), 1, ranks=2, use_pct=94),
        Project("qwen-lora-sft", 2, 6, "python sft.py --base qwen2.5 --lora-rank 16", ("sft",), 6, use_pct=91),
        Project("qwen-dpo", 4, 7, "torchrun dpo.py --beta 0.1", ("alignment",), 3, use_pct=92),
        Project("reward-model", 4, 5, "torchrun train_rm.py", ("alignment",), 2),
        Project("embedding-finetune", 1, 6, "python finetune_embed.py --loss infonce", ("retrieval",), 5),
        Project("mmlu-eval", 1, 0.8, "python eval_harness.py --tasks mmlu,cmmlu", ("eval",), 7, use_pct=78),
    ),
    "speech": (
        Project("conformer-ctc", 4, 8, "torchrun train_asr.py --arch conformer", ("asr",), 4),
        Project("whisper-finetune-zh", 2, 7, "python finetune_whisper.py --lang zh", ("asr",), 4),
        Project("hifigan-vocoder", 1, 11, "python train_vocoder.py --config v1", ("tts",), 4, use_pct=85),
        Project("vits-multispeaker", 2, 9, "python train_vits.py --speakers 174", ("tts",), 3),
        Project("speaker-verify-ecapa", 1, 6, "python train_sv.py --arch ecapa", ("baseline",), 4),
        Project("vad-sweep", 1, 0.7, "python train_vad.py", ("sweep",), 7, use_pct=72),
    ),
    "recsys": (
        Project("dlrm-criteo", 8, 4, "torchrun dlrm.py --data criteo-1tb", ("baseline",), 2, use_pct=81),
        Project("two-tower-retrieval", 2, 6, "python two_tower.py --dim 128", ("retrieval",), 5, use_pct=79),
        Project("din-ctr", 1, 6, "python train_ctr.py --model din", ("ctr",), 6, use_pct=77),
        Project("sasrec-ml20m", 1, 1.5, "python sasrec.py --max-len 200", ("sequence",), 6, use_pct=83),
        Project("multitask-mmoe", 4, 6, "torchrun mmoe.py --tasks click,buy", ("ctr",), 3, use_pct=82),
    ),
    "robotics": (
        Project("act-policy", 1, 9, "python train_act.py --task transfer_cube", ("imitation",), 5),
        Project("diffusion-policy", 2, 9, "python train_dp.py --task push_t", ("imitation",), 4, use_pct=90),
        Project("ppo-isaac-anymal", 4, 7, "python ppo.py --env anymal --num-envs 4096", ("rl",), 4, use_pct=93),
        Project("dreamer-v3", 2, 10, "python dreamer.py --suite dmc", ("rl",), 3),
        Project("octo-finetune", 8, 4, "torchrun finetune_octo.py", ("paper",), 1),
        Project("sim2real-eval", 1, 0.8, "python rollout.py --episodes 200", ("eval",), 7, use_pct=70),
    ),
}  # fmt: skip
"""By the name of the group."""
