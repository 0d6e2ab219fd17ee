"""What simulated jobs run: a shell that prints what a training prints, and sleeps between; pure.

A Python process for each of thirty jobs would cost the machine more than all of Berth.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class TrainingEnding(StrEnum):
    """How a training ends by itself."""

    WELL = "well"
    OUT_OF_MEMORY = "out_of_memory"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Training:
    """The course of one training."""

    model: str
    data: str
    epochs: int
    epoch_s: int
    ending: TrainingEnding = TrainingEnding.WELL
    fails_after: int = 0
    """Epoch after which it fails, unless it ends well."""
    loss_milli: int = 3000
    """Loss at the start, in thousandths."""
    best_permille: int = 930
    """Accuracy that it tends to."""

    @property
    def length_s(self) -> int:
        """How long it runs when nothing stops it."""
        epochs = self.epochs if self.ending is TrainingEnding.WELL else self.fails_after
        return epochs * self.epoch_s


# Loss falls and accuracy rises as 1 / (epoch + 3). The shell has integers only: thousandths. An attempt
# that was evicted continues with the epoch that it has written down.
_LOOP: Final = """\
echo "{model}: loading {data}"
epoch=0
if [ -s "$BERTH_OUTPUT_DIR/checkpoint" ]; then
  read -r epoch <"$BERTH_OUTPUT_DIR/checkpoint"
  echo "resuming from checkpoint of epoch $epoch"
fi
while [ "$epoch" -lt {epochs} ]; do
  sleep {epoch_s}
  epoch=$((epoch + 1))
  jitter=$(((epoch * 7919 + {salt}) % 23))
  loss=$(({floor} + ({loss} - {floor}) * 3 / (epoch + 3) + jitter))
  right=$(({best} - ({best} - 100) * 3 / (epoch + 3) - jitter / 3))
  printf 'epoch %d/%d @metrics step=%d loss=%d.%03d accuracy=0.%03d\\n' "$epoch" {epochs} "$epoch" \\
    $((loss / 1000)) $((loss % 1000)) "$right"
  echo "$epoch" >"$BERTH_OUTPUT_DIR/checkpoint"
  : >"$BERTH_CHECKPOINT_FILE"
{failure}done
echo "finished; best checkpoint kept in $BERTH_OUTPUT_DIR"
"""
_FAILURE: Final = """\
  if [ "$epoch" -ge {fails_after} ]; then
    cat >&2 <<'TRACEBACK'
{traceback}TRACEBACK
    exit 1
  fi
"""
_TRACEBACKS: Final = {
    TrainingEnding.OUT_OF_MEMORY: """\
Traceback (most recent call last):
  File "train.py", line 214, in <module>
    main()
  File "train.py", line 187, in main
    loss = step(model, batch)
  File "train.py", line 96, in step
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of \
31.74 GiB of which 1.12 GiB is free.
""",
    TrainingEnding.BROKEN: """\
Traceback (most recent call last):
  File "train.py", line 214, in <module>
    main()
  File "train.py", line 179, in main
    for batch in loader:
RuntimeError: stack expects each tensor to be equal size, but got [3, 224, 224] at entry 0 and \
[1, 224, 224] at entry 17
""",
}


def training_script(training: Training, salt: int) -> str:
    """Return the program for `/bin/sh`; trainings with different salts print different numbers."""
    failure = ""
    if training.ending is not TrainingEnding.WELL:
        failure = _FAILURE.format(
            fails_after=training.fails_after, traceback=_TRACEBACKS[training.ending]
        )
    return _LOOP.format(
        model=training.model,
        data=training.data,
        epochs=training.epochs,
        epoch_s=training.epoch_s,
        salt=salt,
        loss=training.loss_milli,
        floor=training.loss_milli // 9,
        best=training.best_permille,
        failure=failure,
    )
