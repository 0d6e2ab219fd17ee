#!/usr/bin/env python3
"""Fits the weight of plants to their length and kind, and prints metrics: a first job, or a sweep.

Python alone is enough. `python3 $BERTH_DATA_DIR/example/train.py` as a job draws charts on its page; as a job array
each task takes another learning rate. It saves its state, so a job that starts again continues.
"""

import csv
import json
import os
import threading
from pathlib import Path

STEPS = int(os.environ.get("STEPS", "300"))
PAUSE_S = float(os.environ.get("PAUSE_S", "0.1"))
DATA = Path(os.environ.get("BERTH_DATA_DIR", "/data"))
RATES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
CENTRE, SPREAD = 15.0, 5.0


def find_data() -> Path:
    """Return the table: beside this script or, of a copy of it, in the data set."""
    beside = Path(__file__).with_name("plants.csv")
    return beside if beside.exists() else DATA / "example" / "plants.csv"


def read_rows(path: Path) -> list[tuple[list[float], float]]:
    """Return the features of each plant and its weight."""
    with path.open(encoding="utf-8") as file:
        return [
            (
                [1.0, (float(row["length_cm"]) - CENTRE) / SPREAD, *kind_of(row["kind"])],
                float(row["weight_g"]),
            )
            for row in csv.DictReader(file)
        ]


def kind_of(name: str) -> list[float]:
    """Return 1 at the place of this kind."""
    return [float(name == each) for each in "abc"]


def mean_error(model: list[float], rows: list[tuple[list[float], float]]) -> float:
    """Return the mean squared error of a model."""
    return sum((predict(model, features) - weight) ** 2 for features, weight in rows) / len(rows)


def predict(model: list[float], features: list[float]) -> float:
    """Return the weight that a model expects."""
    return sum(factor * value for factor, value in zip(model, features, strict=True))


def main() -> None:
    """Train, and print one metrics line for each step."""
    rows = read_rows(find_data())
    training, validation = rows[::2], rows[1::2]
    rate = RATES[int(os.environ.get("BERTH_ARRAY_INDEX", "1")) % len(RATES)]
    state = Path(os.environ.get("BERTH_OUTPUT_DIR", ".")) / "model.json"
    first, model = json.loads(state.read_text()) if state.exists() else (0, [0.0] * 5)
    for step in range(first, STEPS):
        for features, weight in training[step % 5 :: 5]:
            error = predict(model, features) - weight
            model = [
                factor - rate * error * value / 10
                for factor, value in zip(model, features, strict=True)
            ]
        loss, val_loss = mean_error(model, training), mean_error(model, validation)
        print(
            f"@metrics step={step} loss={loss:.4f} val/loss={val_loss:.4f} rate={rate}", flush=True
        )
        state.write_text(json.dumps((step + 1, model)))
        threading.Event().wait(PAUSE_S)


if __name__ == "__main__":
    main()
