"""Command for administrators that divides a card into MIG instances; by default it only previews."""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Final

import pynvml

from nodeagent.disk.layout import StateLayout
from nodeagent.sharing.modes.mig import MigError, MigPartitioner
from nodeagent.sharing.modes.mig_layout import MigLayoutError
from nodeagent.sharing.nvml_client import NvmlClient, NvmlFailedError
from nodeagent.sharing.records import ShareRecords

APPLY: Final = "cut the card; needs the agent's state directory, to see that no work holds it"


def main(argv: list[str] | None = None) -> int:
    """Preview a layout, or apply it; return 1 if that was refused."""
    parser = argparse.ArgumentParser(prog="python -m nodeagent.sharing", description=__doc__)
    parser.add_argument("card", help="UUID of the card, GPU-…")
    parser.add_argument("--layout", nargs="*", default=[], help="partitions, such as 3g.40gb")
    parser.add_argument("--apply", type=Path, metavar="STATE_DIR", help=APPLY)
    given = parser.parse_args(argv)
    partitioner = MigPartitioner(NvmlClient(pynvml))
    try:
        pynvml.nvmlInit()
        if given.apply:
            _refuse_held(given.card, StateLayout(given.apply))
        act = partitioner.apply if given.apply else partitioner.preview
        found = asyncio.run(act(given.card, given.layout))
    except (MigError, MigLayoutError, NvmlFailedError, pynvml.NVMLError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for line in found.describe():
        sys.stdout.write(f"{line}\n")
    return 0


def _refuse_held(card: str, layout: StateLayout) -> None:
    """Refuse if the agent's records show a holder, who may have no process on the card right now."""
    records = ShareRecords(layout.shares)
    held = sum(share.grant.uuid == card for record in records for share in record.shares)
    if records.may_be_held(card):
        raise MigError("who holds the card cannot be read: drain it first")
    if held:
        raise MigError(f"{held} containers hold the card: drain it first")


if __name__ == "__main__":
    sys.exit(main())
