"""What `sinfo`, `squeue` and `sacct` print, as values; lines that are not the portal's are left out."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from portal.foreign.errors import RoundFailedError
from portal.slurm.names import parse_job_name
from portal.slurm.values import AccountedJob, ClusterNode, QueuedJob

SEPARATOR: Final = "|"
NODE_FORMAT: Final = SEPARATOR.join(("%N", "%o", "%T", "%c", "%m", "%G", "%E"))
QUEUE_FORMAT: Final = SEPARATOR.join(("%i", "%j", "%T", "%S", "%k", "%r"))
ACCOUNTING_FORMAT: Final = "JobIDRaw,JobName,State,ExitCode,Start,End"
TIME_VARIABLE: Final = "SLURM_TIME_FORMAT=%s"
"""Makes these programs print times in seconds since 1970."""

_GPU: Final = re.compile(r"gpu(?::(?P<type>[^:(,]+))?:(?P<count>\d+)(?:\([^)]*\))?")
_MARKS: Final = "*~#!%$@^-+"


class UnreadableError(RoundFailedError):
    """A line of Slurm's has not the fields that were asked for."""


def read_nodes(text: str) -> tuple[ClusterNode, ...]:
    """Return the nodes of a partition, each once."""
    found: dict[str, ClusterNode] = {}
    for name, address, state, cpus, memory, gres, reason in _rows(text, 7):
        found[name] = ClusterNode(
            name=name,
            address=address,
            state=state.rstrip(_MARKS).lower(),
            cpus=_number(cpus),
            memory_mib=_number(memory),
            gpus=_read_gpus(gres),
            reason="" if reason in ("none", "Not responding") else reason,
        )
    return tuple(found.values())


def read_queue(text: str, site: str) -> tuple[QueuedJob, ...]:
    """Return the portal's jobs that the controller knows, in whatever state."""
    return tuple(
        QueuedJob(
            id=_number(number),
            key=key,
            state=state,
            reason=reason,
            started_at=_moment(started),
            nodes=tuple(comment.split(",")) if comment not in ("", "(null)") else (),
        )
        for number, name, state, started, comment, reason in _rows(text, 6)
        if (key := parse_job_name(site, name)) is not None
    )


def read_accounting(text: str, site: str) -> tuple[AccountedJob, ...]:
    """Return what accounting knows of the portal's jobs: the last of rows of one job."""
    found: dict[int, AccountedJob] = {}
    for number, name, state, code, started, ended in _rows(text, 6):
        if (key := parse_job_name(site, name)) is None:
            continue
        status, _, signal = code.partition(":")
        found[_number(number)] = AccountedJob(
            id=_number(number),
            key=key,
            state=state.split(" ")[0],  # `CANCELLED by 0`
            exit_code=_number(status),
            signal=_number(signal),
            started_at=_moment(started),
            ended_at=_moment(ended),
        )
    return tuple(found.values())


def read_submitted(text: str) -> int:
    """Return the id that `sbatch --parsable` printed: `7`, or `7;cluster`."""
    return _number(text.strip().split(";")[0])


def _read_gpus(gres: str) -> Mapping[str, int]:
    """Return how many GPUs of each type `gpu:a100:4(S:0-1),shard:a100:8` has."""
    found: dict[str, int] = {}
    for match in _GPU.finditer(gres):
        kind = match["type"] or ""
        found[kind] = found.get(kind, 0) + int(match["count"])
    return found


def _rows(text: str, width: int) -> Iterator[list[str]]:
    for line in text.splitlines():
        if not line.strip():
            continue
        row = [item.strip() for item in line.split(SEPARATOR, width - 1)]
        if len(row) != width:
            raise UnreadableError(line[:200])
        yield row


def _number(text: str) -> int:
    if not text.isdigit():
        raise UnreadableError(text[:200])
    return int(text)


def _moment(text: str) -> int | None:
    """Return a time; `N/A`, `Unknown` and `None` are none."""
    return int(text) if text.isdigit() else None
