"""Rounds of the pools whose work a cluster of the site runs, composed of the portal's parts."""

from typing import Final

from portal.agentlink.facts import update_cards
from portal.config.node_reports import SUBJECTS
from portal.foreign.rounds import RoundParts
from portal.kubernetes.rounds import KubernetesRounds
from portal.slurm.rounds import SlurmRounds
from portal.workloads.operations.log_store import store_log

PARTS: Final = RoundParts(SUBJECTS, update_cards, store_log)
SLURM_ROUNDS: Final = SlurmRounds(PARTS)
KUBERNETES_ROUNDS: Final = KubernetesRounds(PARTS)
