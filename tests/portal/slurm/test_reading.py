"""What Slurm prints is read field by field; what is not the portal's is left out."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.foreign.attempts import JobKey
from portal.slurm.names import job_name, parse_job_name
from portal.slurm.reading import (
    UnreadableError,
    read_accounting,
    read_nodes,
    read_queue,
    read_submitted,
)
from portal.slurm.values import ClusterNode
from tests.builders.slurm_jobs import KEY

SITE = "0000abcd"
NAME = job_name(SITE, KEY)


@given(st.uuids(), st.integers(min_value=1, max_value=2**31))
def test_name_of_a_job_is_read_back(workload: UUID, epoch: int) -> None:
    key = JobKey(workload, epoch)
    assert parse_job_name(SITE, job_name(SITE, key)) == key
    assert parse_job_name("ffffffff", job_name(SITE, key)) is None


@pytest.mark.parametrize("name", ["", "berth-0000abcd", f"{NAME}x", "sleep", f"x{NAME}"])
def test_other_names_are_nobodys(name: str) -> None:
    assert parse_job_name(SITE, name) is None


@pytest.mark.parametrize(
    ("gres", "gpus"),
    [
        ("gpu:4", {"": 4}),
        ("gpu:a100:4(S:0-1)", {"a100": 4}),
        ("gpu:a100:2(S:0),gpu:h100:1(S:1),shard:a100:8(S:0)", {"a100": 2, "h100": 1}),
        ("(null)", {}),
        ("craynetwork:4", {}),
    ],
)
def test_gpus_are_counted_by_type(gres: str, gpus: dict[str, int]) -> None:
    [node] = read_nodes(f"n1|10.0.0.1|idle|8|16000|{gres}|none\n")
    assert node.gpus == gpus


def test_nodes_are_read_once_without_marks() -> None:
    text = (
        "n1|a1|MIXED-|8|16000|gpu:a100:4|none\n"
        "n1|a1|MIXED-|8|16000|gpu:a100:4|none\n"
        "n2|a2|down*|8|16000|gpu:a100:4|disk | bad\n"
    )
    assert read_nodes(text) == (
        ClusterNode("n1", "a1", "mixed", 8, 16000, {"a100": 4}),
        ClusterNode("n2", "a2", "down", 8, 16000, {"a100": 4}, "disk | bad"),
    )


def test_queue_has_the_pools_jobs_only() -> None:
    text = (
        f"12|{NAME}|PENDING|N/A|n1,n2|(Resources)\n"
        "13|a|b|RUNNING|1796000103|(null)|None\n"
        "14_3|sleep|RUNNING|1796000103|(null)|None\n"
        f"15|{NAME}|RUNNING|1796000103|(null)|None\n"
    )
    found = [(job.id, job.state, job.started_at, job.nodes) for job in read_queue(text, SITE)]
    assert found == [
        (12, "PENDING", None, ("n1", "n2")),
        (15, "RUNNING", 1796000103, ()),
    ]


def test_accounting_has_the_last_row_of_a_job() -> None:
    text = (
        f"12|{NAME}|NODE_FAIL|1:0|1796000100|1796000103\n"
        f"12|{NAME}|CANCELLED by 1000|0:15|1796000110|1796000120\n"
        "13|sleep|RUNNING|0:0|1796000103|Unknown\n"
    )
    [job] = read_accounting(text, SITE)
    assert (job.state, job.exit_code, job.signal) == ("CANCELLED", 0, 15)
    assert (job.started_at, job.ended_at) == (1796000110, 1796000120)


@pytest.mark.parametrize(("text", "number"), [("7\n", 7), ("7;cluster\n", 7)])
def test_id_of_a_submission(text: str, number: int) -> None:
    assert read_submitted(text) == number


@pytest.mark.parametrize("text", ["", "Submitted batch job 7", "-1"])
def test_what_is_no_id_is_not_guessed(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_submitted(text)


def test_a_line_with_too_few_fields_is_not_guessed() -> None:
    with pytest.raises(UnreadableError):
        read_nodes("n1|idle\n")
