"""Web apps that people start on a folder by a button, such as TensorBoard on the outputs of a job.

A session is an ordinary workload of the kind `app`: it waits in the queue for a node that has its folder,
uses a CPU only, and is reached through the gateway by its port. It only reads its folder, unless the app is
one that writes, and ends when nobody uses it. A person has one session of an app for each folder.
"""

import shlex
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import timedelta
from secrets import randbelow
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from portal.apps.commands import PROGRAM_MISSING, ServedAt, is_script_of, render_script
from portal.apps.models import WebApp
from portal.apps.selectors import app_visible_to
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, ExhaustedError, InvalidError, NotFoundError
from portal.common.uses.files import FileKind
from portal.common.work_kinds import APP
from portal.endpoints.services import require_host
from portal.inventory.node_storage import has_own_storage
from portal.volumes.models import Volume
from portal.volumes.selectors import home_of, volume_for_reader
from portal.workloads import services as workloads
from portal.workloads.app_folders import APP_FOLDER_NAME, AppFolder
from portal.workloads.models import Workload
from portal.workloads.selectors import workload_visible_where
from portal.workloads.submission.admission import Submission
from scheduler.core.model.entities import Request
from scheduler.core.model.states import PLACED, WorkloadState

KIND: Final = APP.kind
APP_SESSIONS_MAX: Final = 8
"""Sessions of web apps that one person may have at a time."""
APP_PORTS: Final = range(30_000, 32_000)
"""Ports of sessions: each has one of its own, because containers without a network share theirs."""
PROGRAM_MISSING_FOR: Final = timedelta(minutes=10)
"""How long it is remembered that an image has no such program."""
LIVE_SESSION: Final = frozenset({WorkloadState.QUEUED, *PLACED})
"""States in which a session is opened instead of a second one."""
_NAME_MAX: Final = 63


@dataclass(frozen=True, slots=True)
class JobFolder:
    """The outputs of a job, or a folder below."""

    job: UUID
    path: str = ""


@dataclass(frozen=True, slots=True)
class VolumeFolder:
    """A group volume or the actor's home, or a folder below, shown to work of a group."""

    volume: UUID | None
    """None is the home."""
    group: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder that the actor may read, and where work finds it."""

    folder: AppFolder
    title: str
    group: str
    pool: str
    """Of the node that alone has it; empty where nodes share their storage."""
    spec: dict[str, Any] = field(default_factory=dict)
    """How a submission names it."""


@transaction.atomic
def start_session(*, actor: Actor, app: str, of: JobFolder | VolumeFolder) -> Workload:
    """Queue a session of a web app on a folder; the one that the actor has already is returned.

    Raises:
        NotFoundError: there is no such app, or the actor may not see the folder.
        ConflictError: there is nothing to show, the image is known to lack the program, or the platform has
            no host name for the app.
        ExhaustedError: the actor has too many sessions.
        DomainError: the submission is refused, as that of any work.
    """
    found = app_visible_to(actor, app)
    place = _find_job(actor, of) if isinstance(of, JobFolder) else _find_volume(actor, of)
    session = _find_session(actor, found, place.folder)
    if session is not None:
        return session
    try:
        with transaction.atomic():
            session = _submit_session(actor, found, place)
    except IntegrityError:
        # Another request of the same person came first.
        session = _find_session(actor, found, place.folder)
        if session is None:
            raise
        return session
    if _live_sessions().filter(owner=actor.user_id).count() > APP_SESSIONS_MAX:
        raise ExhaustedError("too_many_app_sessions", limit=APP_SESSIONS_MAX)
    return session


def plan_session(actor: Actor, app: str, of: JobFolder | VolumeFolder) -> Submission:
    """Return the submission that a new session would be; raises as `start_session` does."""
    found = app_visible_to(actor, app)
    place = _find_job(actor, of) if isinstance(of, JobFolder) else _find_volume(actor, of)
    return _build_submission(found, place)


def _submit_session(actor: Actor, app: WebApp, place: _Place) -> Workload:
    try:
        return workloads.submit_workload(actor=actor, submission=_build_submission(app, place))
    except InvalidError as error:
        if error.code != "unknown_volume":
            raise
        # The submission names it by its id; people know its name.
        raise InvalidError("unknown_volume", pointer="/volume", volume=place.title) from error


def close_session(*, actor: Actor, workload_id: UUID) -> Workload:
    """End a session."""
    return workloads.end_workload(
        actor=actor,
        workload_id=workload_id,
        kind=KIND,
        outcome=WorkloadState.CANCELLED,
        action="app.close",
    )


def _live_sessions() -> "QuerySet[Workload]":
    return Workload.objects.filter(kind=KIND, state__in=[state.value for state in LIVE_SESSION])


def _find_session(actor: Actor, app: WebApp, folder: AppFolder) -> Workload | None:
    own = _live_sessions().filter(owner=actor.user_id, app=app, app_folder=str(folder))
    return own.first()


def _find_job(actor: Actor, of: JobFolder) -> _Place:
    """Return where the outputs of a job are: where the first rank of its last attempt ran."""
    job = workload_visible_where(actor, of.job, lambda terms: terms.runs_to_end)
    started = job.allocations.filter(started_at__isnull=False).select_related("node")
    last = started.order_by("-epoch", "rank").first()
    if last is None:
        raise ConflictError("no_outputs_yet", job=job.name)
    return _Place(
        AppFolder(FileKind.INPUT, job.pk, of.path),
        job.name,
        str(job.group_id),
        str(last.node.pool_id) if has_own_storage(last.node.faults) else "",
        {"inputs": [{"job": str(job.pk), "name": APP_FOLDER_NAME}]},
    )


def _find_volume(actor: Actor, of: VolumeFolder) -> _Place:
    home = home_of(actor) if of.volume is None else None
    key = of.volume or (home.pk if home else None)
    if key is None:
        raise NotFoundError("volume")
    volume = volume_for_reader(actor, key)
    node = volume.node if volume.location == Volume.Location.NODE else None
    pool = str(node.pool_id) if node is not None else ""
    if volume.owner_id is not None:
        folder = AppFolder(FileKind.HOME, volume.owner_id, of.path)
        return _Place(folder, volume.name, of.group, pool, {"home": True})
    folder = AppFolder(FileKind.VOLUME, volume.pk, of.path)
    return _Place(folder, volume.name, of.group, pool, {"volumes": [str(volume.pk)]})


def _require_program(app: WebApp) -> None:
    """Refuse an app whose last session has just found that its image lacks the program of its command."""
    since = now() - PROGRAM_MISSING_FOR
    ended = Workload.objects.filter(
        kind=KIND, app=app, image=app.image_id, finished_at__gte=since
    ).order_by("-finished_at")
    exit_code, script = ended.values_list("exit_code", "spec__script").first() or (None, "")
    if exit_code == PROGRAM_MISSING and is_script_of(script, app.command):
        raise ConflictError("image_lacks_program", image=app.image.name, program=app.command[0])


def _build_submission(app: WebApp, place: _Place) -> Submission:
    require_host(app.served_at, app.name)
    _require_program(app)
    specs = _live_sessions().values_list("spec", flat=True)
    port = _choose_port({port for spec in specs for port in spec["ports"]})
    is_at_root = app.served_at == ServedAt.HOST
    script = render_script(
        app.command,
        folder=_folder_of(app, place.folder),
        port=port,
        base_path="" if is_at_root else f'"/e/$BERTH_WORKLOAD/port/{port}"',
    )
    return Submission(
        kind=KIND,
        group=place.group,
        request=Request(cpu_milli=app.cpu_milli, memory_mib=app.memory_mib),
        name=f"{app.name}-{place.title}"[:_NAME_MAX].strip(),
        image=app.image.name,
        pool=place.pool,
        time_limit_s=app.time_limit_s,
        spec={
            "script": script,
            "ports": [port],
            **place.spec,
            "writes": app.writes,
            "served_at": app.served_at,
        },
        app=app,
        app_folder=str(place.folder),
    )


def _folder_of(app: WebApp, folder: AppFolder) -> str:
    """Return the shell's expression of the folder; a home that an app writes to is the app's home."""
    below = shlex.quote(f"/{folder.path}") if folder.path else ""
    if folder.kind is FileKind.HOME and app.writes:
        return f'"$HOME"{below}'
    folders = "INPUTS" if folder.kind is FileKind.INPUT else "VOLUMES"
    return f'"$BERTH_{folders}_DIR/{APP_FOLDER_NAME}"{below}'


def _choose_port(taken: Collection[int]) -> int:
    """Return a port that no session has; which one is left to chance, as two may choose at once."""
    free = [port for port in APP_PORTS if port not in taken]
    if not free:
        raise ExhaustedError("no_app_port_free", limit=len(APP_PORTS))
    return free[randbelow(len(free))]
