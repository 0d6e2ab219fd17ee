"""What the API's description says of itself as a whole."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from portal.alarms.kinds import AlarmAct, AlarmKind, AlarmSeverity
from portal.common.work_kinds import KINDS, SUBMITTED_KINDS
from portal.inventory.gpu_models import known_features
from portal.notices.kinds import NOTICE_KINDS
from portal.outbound.kinds import ChannelKind
from portal.serving.rollout import Stage
from portal.serving.status import ServiceStatus
from scheduler.core.model.isolation import SHARED_ISOLATION_LEVELS
from scheduler.core.model.states import AllocationState, WorkloadState

_ENUM_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "WorkloadState": [state.value for state in WorkloadState],
    "AllocationState": [state.value for state in AllocationState],
    "WorkloadKind": list(KINDS),
    "SubmittedKind": SUBMITTED_KINDS,
    "AppFolderKind": ["input", "home", "volume"],
    "ApprovalKind": ["time_limit", "member_limit", "quota", "reservation"],
    "ApprovalState": ["pending", "approved", "declined", "withdrawn", "expired"],
    "AlarmKind": [kind.value for kind in AlarmKind],
    "AlarmAct": [act.value for act in AlarmAct],
    "ChannelKind": [kind.value for kind in ChannelKind],
    "NoticeKind": list(NOTICE_KINDS),
    "PriorityName": ["high", "low", "normal"],
    "GpuFeature": known_features(),
    "IdleLoss": ["release", "stop"],
    "UserKind": ["person", "robot"],
    "DatasetVersionState": ["ready", "retired"],
    "FileEntryKind": ["folder", "file", "link", "special"],
    "StudyPhase": ["waiting", "running", "done", "failed"],
    "PoolMode": ["exclusive", "shared", "mig"],
    "SharedIsolation": [word.value for word in SHARED_ISOLATION_LEVELS],
    "SecretScope": ["user", "group"],
    "ServedAt": ["path", "base_path", "host"],
    "SharedAccess": ["view", "full"],
    "ServiceState": ["running", "stopped"],
    "ServiceStatus": [status.value for status in ServiceStatus],
    "ReplicaStage": [stage.value for stage in Stage],
    "SharedWorkKind": ["environment", "app"],
    "TemplateScope": ["user", "group", "platform"],
    "SeverityEnum": [severity.value for severity in AlarmSeverity],
    "VulnerabilitySeverity": ["critical", "high", "medium", "low", "unknown"],
    "ListName": ["jobs", "notebooks", "apps", "audit"],
}


def openapi_settings(session_cookie: str) -> dict[str, Any]:
    """Return the settings of drf-spectacular."""
    return {
        "TITLE": "Berth",
        "DESCRIPTION": (
            "Multi-tenant GPU portal.\n\n"
            "Bodies are JSON in UTF-8, not compressed. "
            "Times are those of RFC 3339 with their offset from UTC; one without is refused.\n\n"
            "An answer about one resource, a file and a log have an `ETag`; with `If-None-Match` what is still "
            "so is answered 304. What has a `version` is changed only as it was read with `If-Match`: the "
            "`ETag`, or the version in quotes. If it is another one by then, the answer is 412 and says who "
            "changed it and when. Nothing but settings of the platform may be kept by caches."
        ),
        "VERSION": "1",
        "OAS_VERSION": "3.1.0",
        "SERVE_INCLUDE_SCHEMA": False,
        "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
        "SERVE_AUTHENTICATION": [],
        "SCHEMA_PATH_PREFIX": "/api/v1",
        "COMPONENT_SPLIT_REQUEST": True,
        "PREPROCESSING_HOOKS": ["portal.config.live_routes.add_live_operations"],
        "APPEND_COMPONENTS": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "bearerFormat": "berth_…"},
                "session": {"type": "apiKey", "in": "cookie", "name": session_cookie},
            }
        },
        "POSTPROCESSING_HOOKS": [
            "drf_spectacular.hooks.postprocess_schema_enums",
            "portal.common.rest.schema.open_requests",
        ],
        "ENUM_NAME_OVERRIDES": _ENUM_NAMES,
        "SWAGGER_UI_DIST": "SIDECAR",
        "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    }
