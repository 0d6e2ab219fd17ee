"""A conversation with a cluster, recorded from the real one and replayed word by word.

`converse` speaks; a `Recorder` notes what is said and answered, a `Replay` answers from what was noted and
accepts nothing else. Ids of jobs, times and folders are replaced, so that two recordings are the same.
"""

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import UUID

from portal.execution.desired import AttemptLimit, WantedContainer, WorkSpec
from portal.foreign.attempts import JobKey
from portal.slurm.client import SlurmClient, SlurmRefusedError
from portal.slurm.commands import CommandError, Commands
from portal.slurm.values import (
    AccountedJob,
    AttemptRecord,
    ClusterNode,
    PartitionTerms,
    QueuedJob,
    SubmitJob,
)
from tests.recorded import Notes, Replayed
from tests.slurm.cluster import PARTITION
from wire.words import Device

RECORDED: Final = Path(__file__).with_name("conversation.json")
WORK_DIR: Final = "/shared/work"
FIRST_ID: Final = 70001
MOMENT: Final = 1_700_000_000
_CODED: Final = re.compile(r"printf %s (\S+) \|")
_MOMENTS: Final = re.compile(r"\b1[6-9]\d{8}\b")
FAILS, GANG, WAITS = (JobKey(UUID(int=number), 1) for number in (1, 2, 3))


def terms(work_dir: str) -> PartitionTerms:
    """Return the terms of the conversation, with a folder."""
    return PartitionTerms("0000abcd", PARTITION, work_dir, time_limit_s=3600)


@dataclass
class Heard:
    """What the cluster said."""

    nodes: tuple[ClusterNode, ...]
    failed: tuple[AccountedJob, ...]
    log: bytes
    queue: tuple[QueuedJob, ...]
    cancelled: tuple[AccountedJob, ...]
    refusal: str


def converse(client: SlurmClient, settle: Callable[[Callable[[], bool]], None]) -> Heard:
    """Submit, look, signal and cancel; `settle` waits until something holds, and is no part of it."""
    nodes = client.nodes()
    failing = client.submit(_order(FAILS, ("sh", "-c", "echo to the log; exit 7"), ("n1",)))
    record = AttemptRecord(FAILS, ("n1",), MOMENT, failing)
    settle(lambda: any(job.ended_at for job in client.accounting([record])))
    failed, log = client.accounting([record]), client.read_log(FAILS, 0, 0)
    gang = client.submit(_order(GANG, ("sleep", "600"), ("n1", "n2"), gpus=4))
    settle(lambda: [job.state for job in client.queue() if job.key == GANG] == ["RUNNING"])
    waiting = client.submit(_order(WAITS, ("sleep", "600"), ("n2",), gpus=1))
    settle(lambda: "Resources" in [job.reason for job in client.queue()])
    settle(lambda: [bool(job.started_at) for job in client.queue()] == [True, True])
    queue = client.queue()
    client.signal(gang, "USR1")
    client.cancel(waiting)
    client.cancel(gang)
    unknown = [AttemptRecord(key, ("n1",), MOMENT) for key in (GANG, WAITS)]
    settle(lambda: len([job for job in client.accounting(unknown) if job.ended_at]) == 2)
    cancelled = client.accounting(unknown)
    client.cancel(failing)
    return Heard(nodes, failed, log, queue, cancelled, _refusal(client))


def _refusal(client: SlurmClient) -> str:
    elsewhere = SlurmClient(
        client.commands, PartitionTerms("0000abcd", "elsewhere", client.terms.work_dir, 3600)
    )
    try:
        elsewhere.submit(_order(JobKey(UUID(int=4), 1), ("true",), ("n1",)))
    except SlurmRefusedError as error:
        return str(error)
    return ""


def _order(
    key: JobKey, command: tuple[str, ...], nodes: tuple[str, ...], gpus: int = 0
) -> SubmitJob:
    devices = tuple(Device(f"SLURM-{number}", 81920) for number in range(gpus))
    limit = AttemptLimit(600)
    return SubmitJob(
        key,
        tuple(
            WantedContainer(
                *key.rank(rank),
                WorkSpec(
                    "training",
                    str(key.workload),
                    "work",
                    "",
                    1000,
                    64,
                    command=command,
                    rank=rank,
                    ranks=len(nodes),
                ),
                devices,
                limit=limit,
            )
            for rank in range(len(nodes))
        ),
        nodes,
    )


@dataclass
class Recorder:
    """Notes a conversation with a cluster."""

    commands: Commands
    work_dir: str
    first_id: int = FIRST_ID
    """Id of the first job of this conversation."""
    notes: Notes = field(default_factory=Notes)

    def run(self, argv: Sequence[str], stdin: bytes = b"") -> bytes:
        """Run a command, and note it."""
        try:
            answer, failure = self.commands.run(argv, stdin), None
        except CommandError as error:
            answer, failure = str(error).encode(), error
        asked = {
            "argv": [self._plain(text) for text in argv],
            "stdin": self._plain(stdin.decode()),
        }
        told = {"answer": self._plain(answer.decode()), "is_error": bool(failure)}
        self.notes.note(asked, told)
        if failure is not None:
            raise failure
        return answer

    def _plain(self, text: str) -> str:
        """Return a text with what differs between two conversations replaced, in coded files as well."""
        return _CODED.sub(self._plain_file, self._plain_words(text))

    def _plain_file(self, found: "re.Match[str]") -> str:
        plain = self._plain_words(base64.b64decode(found[1]).decode())
        return f"printf %s {base64.b64encode(plain.encode()).decode()} |"

    def _plain_words(self, text: str) -> str:
        for number in range(10):
            text = re.sub(rf"\b{self.first_id + number}\b", str(FIRST_ID + number), text)
        text = text.replace(self.work_dir, WORK_DIR)
        return _MOMENTS.sub(str(MOMENT), text)


@dataclass
class Replay:
    """Answers as it was recorded."""

    said: Replayed

    def run(self, argv: Sequence[str], stdin: bytes = b"") -> bytes:
        """Return the recorded answer."""
        row = self.said.answer({"argv": list(argv), "stdin": stdin.decode()})
        if row["is_error"]:
            raise CommandError(row["answer"], is_answered=True)
        return str(row["answer"]).encode()
