"""The first state of an agent, from its state file and from what the runtime still has."""

from dataclasses import replace
from typing import Final

from nodeagent.core.commands import Command, RemoveContainer, SaveState
from nodeagent.core.starts import record_epoch
from nodeagent.core.state import SEQ_BLOCK, AgentState, Container, DurableState, Finished, Lease
from nodeagent.core.timing import Timing

NO_LEASE: Final = Lease(0)


def recover_state(
    durable: DurableState | None,
    *,
    first_seq: int,
    lease: Lease = NO_LEASE,
    live: tuple[Container, ...] = (),
    ended: tuple[Finished, ...] = (),
    timing: Timing | None = None,
) -> tuple[AgentState, tuple[Command, ...]]:
    """Adopt live containers, report what ended meanwhile, and remove what is settled already.

    `durable` is None on a first start and when the file was lost. Then only the runtime's answer
    counts, `first_seq` continues the sequence (it must be above every earlier one, so it is taken
    from the wall clock), and nothing starts before the first reply was applied.
    """
    saved = durable or DurableState(seq_limit=first_seq, highest_epochs={})
    state = AgentState(
        seq=saved.seq_limit,
        seq_limit=saved.seq_limit + 2 * SEQ_BLOCK,
        timing=timing or Timing(),
        lease_until=lease.until,
        containers={
            item.key: replace(item, deadline=lease.deadlines.get(item.key)) for item in live
        },
        highest_epochs=dict(saved.highest_epochs),
        tombstones=saved.tombstones,
        # Another boot counts from another moment.
        finished=tuple(replace(item, ended_at=None) for item in saved.finished),
    )
    if durable is None:
        settled: tuple[Finished, ...] = ()
    else:
        settled = tuple(item for item in ended if item.key not in saved.tombstones)
    reported = {item.key for item in (*saved.finished, *settled)}
    news = tuple(item for item in ended if item.key not in reported)
    for key in (*(item.key for item in live), *(item.key for item in news)):
        state = record_epoch(state, key)
    state = replace(state, finished=(*state.finished, *news))
    removals = tuple(RemoveContainer(item.key) for item in settled)
    return state, (SaveState(state.durable), *removals)
