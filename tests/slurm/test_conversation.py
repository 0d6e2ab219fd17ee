"""The recorded conversation is understood, and the real cluster still says the same."""

import os

import pytest

from portal.slurm.client import SlurmClient
from portal.slurm.commands import ShellCommands
from portal.slurm.values import ClusterNode
from tests.recorded import Replayed, load_rows, save_rows
from tests.slurm import conversation
from tests.slurm.cluster import Cluster
from tests.slurm.conversation import (
    FAILS,
    FIRST_ID,
    GANG,
    MOMENT,
    RECORDED,
    WAITS,
    Recorder,
    Replay,
)
from tests.waiting import wait_until


def test_recorded_words_are_understood() -> None:
    replay = Replay(Replayed(load_rows(RECORDED)))
    client = SlurmClient(replay, conversation.terms(conversation.WORK_DIR))

    heard = conversation.converse(client, settle=lambda _: None)

    assert replay.said.rows == [], "all that was recorded was asked"
    assert heard.nodes == tuple(
        ClusterNode(name, "127.0.0.1", "idle", 8, 16000, {"a100": 4}) for name in ("n1", "n2")
    )
    [failed] = heard.failed
    assert (failed.id, failed.key, failed.state, failed.exit_code) == (FIRST_ID, FAILS, "FAILED", 7)
    assert (failed.started_at, failed.ended_at) == (MOMENT, MOMENT)
    assert heard.log == b"to the log\n"
    queue = [(job.key, job.state, job.reason, job.nodes) for job in heard.queue]
    assert sorted(queue, key=lambda row: row[1]) == [
        (WAITS, "PENDING", "Resources", ("n2",)),
        (GANG, "RUNNING", "None", ("n1", "n2")),
    ]
    assert {(job.key, job.state) for job in heard.cancelled} == {
        (GANG, "CANCELLED"),
        (WAITS, "CANCELLED"),
    }
    assert heard.refusal == "Invalid partition name specified"


@pytest.mark.slurm
def test_the_real_cluster_says_what_is_recorded(real_cluster: Cluster) -> None:
    real_cluster.clear()
    commands = ShellCommands(conf=str(real_cluster.folder / "slurm.conf"))
    work_dir = str(real_cluster.work_dir)
    options = ("--parsable", "--hold", "--output=/dev/null", f"--chdir={work_dir}")
    probe = int(commands.run(("sbatch", *options), b"#!/bin/sh\ntrue\n"))
    real_cluster.clear()
    recorder = Recorder(commands, work_dir, first_id=probe + 1)
    client = SlurmClient(recorder, conversation.terms(work_dir))

    wait = recorder.notes.settle(lambda holds: wait_until(holds, every_s=0.2))
    conversation.converse(client, wait)

    if os.environ.get("RECORD"):
        save_rows(RECORDED, recorder.notes.rows)
    assert recorder.notes.rows == load_rows(RECORDED)
