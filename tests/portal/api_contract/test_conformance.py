"""Every operation does what the OpenAPI document says, whatever is sent to it.

Requests are made from the document: some keep to it, some break it in one place. The seed is
fixed, so a run is the same every time; a new operation is covered by being there.
"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.test.client import ClientHandler

from portal.common.clock import now
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from portal.volumes.output_folders import outputs_folder
from portal.workloads.logs.files import log_path
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_token, a_user
from tests.builders.volumes import a_group_volume
from tests.builders.workloads import a_workload
from tests.portal.api_contract.conformance import Requests
from tests.processes import live_process, web_process
from tests.rest import openapi


def save_cluster(**of_workload: Any) -> dict[str, str]:
    """Save one thing of every kind; return what paths and bodies call them."""
    user = a_user(role="platform_admin")
    group = a_group("group", members={user: "group_admin"})
    pool = a_pool("pool")
    notebook = a_workload(user, group, pool, kind="environment", state="suspended")
    node = a_node(pool)
    an_image("image")
    volume = a_group_volume(group, location=Volume.Location.SHARED)
    return {
        "group": group.name,
        "pool": pool.name,
        "image": "image",
        "pool_id": str(pool.pk),
        "node_id": str(node.pk),
        "volume_id": str(volume.pk),
        "workload_id": str(a_workload(user, group, pool, **of_workload).pk),
        "environments workload_id": str(notebook.pk),
        "token": a_token(user),
    }


@pytest.mark.django_db
@pytest.mark.timeout(900)  # every operation there is, on a busy machine too
@pytest.mark.usefixtures("redis_url")
def test_every_operation_keeps_to_the_document() -> None:
    requests = Requests(openapi(), save_cluster(), app=application)
    requests.send(are_live=False)
    answers = requests.answers
    assert sum(answers[status] for status in (200, 201, 202)) > 50, answers
    assert answers[400] > 50, answers


@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(300)
def test_what_the_live_process_answers_keeps_to_the_document(
    redis_url: str, tmp_path: Path
) -> None:
    """The real process, with the real web process behind it."""
    ended = now() - timedelta(hours=1)
    known = save_cluster(state="succeeded", epoch=1, started_at=ended, finished_at=ended)
    job_id = UUID(known["workload_id"])
    for folder in (
        volume_folder(tmp_path, UUID(known["volume_id"])),
        outputs_folder(tmp_path, job_id),
    ):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"content")
    log = log_path(tmp_path, job_id, 0, 1)
    log.parent.mkdir(parents=True)
    log.write_bytes(b"one\ntwo\n")
    with web_process(redis_url) as web, live_process(tmp_path, web=web.url) as live:
        requests = Requests(openapi(), {**known, "path": "file"}, url=live.url)
        requests.send(are_live=True)
    answers = requests.answers
    assert sum(answers[status] for status in (200, 204, 206, 304)) > 15, answers
    assert answers[400] > 5, answers


def application(
    environ: dict[str, Any], start_response: Callable[[str, list[tuple[str, str]]], Any]
) -> list[bytes]:
    """Answer in this process and on the test's own connection, as Django's client does."""
    answer = ClientHandler(enforce_csrf_checks=False)(environ)
    start_response(f"{answer.status_code} {answer.reason_phrase}", list(answer.items()))
    return [answer.getvalue()]
