"""The parts of the platform that change work by themselves, as actors in events and the audit log."""

from typing import Final

from portal.common.actor import Actor

SCHEDULER_ACTOR: Final = Actor.system("scheduler")
LEAVERS_ACTOR: Final = Actor.system("leavers")
SWEEP_ACTOR: Final = Actor.system("sweep")
