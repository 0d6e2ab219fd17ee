"""Rounds of the pools whose work Slurm runs, composed of the portal's parts."""

from typing import Final

from portal.agentlink.facts import update_cards
from portal.config.node_reports import SUBJECTS
from portal.slurm.rounds import Rounds
from portal.workloads.operations.log_store import store_log

ROUNDS: Final = Rounds(SUBJECTS, update_cards, store_log)


def run_rounds() -> None:
    """Run a round of each pool, one after the other; one that fails keeps none of the others."""
    ROUNDS.run_all()
