"""A program for a cluster of Ray or Dask: it notes who is there and what they compute together."""

import json
from pathlib import Path
from typing import Any, Final

ON_DASK: Final = """
import distributed

def ranks():
    workers = distributed.Client().scheduler_info()["workers"].values()
    return [[it["host"], it["nthreads"], it["resources"]["GPU"]] for it in workers]

def total():
    client = distributed.Client()
    return sum(client.gather(client.map(lambda x: x * x, range(10))))
"""
ON_RAY: Final = """
import ray
ray.init()

def ranks():
    found = [(it["NodeManagerAddress"], it["Resources"]) for it in ray.nodes() if it["Alive"]]
    return [[host, it["CPU"], it["GPU"]] for host, it in found]

@ray.remote(num_gpus=1)
def square(x):
    return x * x

def total():
    return sum(ray.get([square.remote(x) for x in range(10)]))
"""
TRAIN: Final = """#!/usr/bin/env python3
import json, os, threading
{on_engine}
restart = int(os.environ["BERTH_RESTART"])
with open(os.environ["BERTH_OUTPUT_DIR"] + "/attempts", "a") as attempts:
    print(json.dumps([restart, sorted(ranks()), total()]), file=attempts)
# The first attempt goes on until it is killed.
while not restart:
    threading.Event().wait(1)
"""


def program_on(launcher: str) -> str:
    """Return the program for a cluster; its first attempt never ends."""
    return TRAIN.format(on_engine=ON_RAY if launcher == "ray" else ON_DASK)


def attempts_in(outputs: Path) -> list[Any]:
    """Return of every attempt so far its number, its ranks (host, CPUs, GPUs), and the result."""
    file = outputs / "attempts"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
