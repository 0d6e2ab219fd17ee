"""Maps the engine's error messages to a closed list of codes.

The engine has no codes for most of these, only sentences (of Engine 20.10 to 28 and of podman). A
code is the first word of the detail that the portal shows; `docs/admin/engine-errors.md` lists what
to do about each. Faults of the node end as `NODE_FAULT`: the work is queued again, elsewhere.
"""

from dataclasses import dataclass
from typing import Final

from nodeagent.ports import StartError
from wire.words import ExitCause


@dataclass(frozen=True, slots=True)
class EngineFault:
    """One way in which a start can fail."""

    code: str
    cause: ExitCause
    is_transient: bool = False
    """Whether another try in a moment may succeed."""


NO_GPU_RUNTIME: Final = EngineFault("no_gpu_runtime", ExitCause.NODE_FAULT)
CDI_UNAVAILABLE: Final = EngineFault("cdi_unavailable", ExitCause.NODE_FAULT)
CDI_STALE: Final = EngineFault("cdi_stale", ExitCause.NODE_FAULT)
GPU_RUNTIME_FAILED: Final = EngineFault("gpu_runtime_failed", ExitCause.NODE_FAULT)
RUNTIME_UNKNOWN: Final = EngineFault("runtime_unknown", ExitCause.NODE_FAULT)
RLIMIT_REFUSED: Final = EngineFault("rlimit_refused", ExitCause.NODE_FAULT)
DISK_FULL: Final = EngineFault("disk_full", ExitCause.NODE_FAULT)
NAME_CONFLICT: Final = EngineFault("name_conflict", ExitCause.NODE_FAULT)
PORT_TAKEN: Final = EngineFault("port_taken", ExitCause.NODE_FAULT)
NETWORK_MISSING: Final = EngineFault("network_missing", ExitCause.NODE_FAULT)
MOUNT_REFUSED: Final = EngineFault("mount_refused", ExitCause.NODE_FAULT)
ENGINE_FAILED: Final = EngineFault("engine_failed", ExitCause.NODE_FAULT)

IMAGE_NOT_FOUND: Final = EngineFault("image_not_found", ExitCause.IMAGE_UNAVAILABLE)
IMAGE_NO_ACCESS: Final = EngineFault("image_no_access", ExitCause.IMAGE_UNAVAILABLE)
IMAGE_NAME_INVALID: Final = EngineFault("image_name_invalid", ExitCause.IMAGE_UNAVAILABLE)
IMAGE_DIGEST_MISMATCH: Final = EngineFault("image_digest_mismatch", ExitCause.IMAGE_UNAVAILABLE)
IMAGE_WRONG_PLATFORM: Final = EngineFault("image_wrong_platform", ExitCause.IMAGE_UNAVAILABLE)
IMAGE_TOO_LARGE: Final = EngineFault("image_too_large", ExitCause.IMAGE_UNAVAILABLE)
REGISTRY_UNTRUSTED: Final = EngineFault("registry_untrusted", ExitCause.IMAGE_UNAVAILABLE)
REGISTRY_UNKNOWN: Final = EngineFault("registry_unknown", ExitCause.IMAGE_UNAVAILABLE)
REGISTRY_BUSY: Final = EngineFault("registry_busy", ExitCause.IMAGE_UNAVAILABLE, is_transient=True)
REGISTRY_UNREACHABLE: Final = EngineFault(
    "registry_unreachable", ExitCause.IMAGE_UNAVAILABLE, is_transient=True
)

COMMAND_NOT_FOUND: Final = EngineFault("command_not_found", ExitCause.START_FAILED)
COMMAND_NOT_EXECUTABLE: Final = EngineFault("command_not_executable", ExitCause.START_FAILED)
COMMAND_WRONG_PLATFORM: Final = EngineFault("command_wrong_platform", ExitCause.START_FAILED)
NO_SHELL: Final = EngineFault("no_shell", ExitCause.START_FAILED)
NO_COMMAND: Final = EngineFault("no_command", ExitCause.START_FAILED)
ENGINE_ERROR: Final = EngineFault("engine_error", ExitCause.START_FAILED)
"""A message that no rule matches."""

_RULES: Final[tuple[tuple[str, EngineFault], ...]] = (
    ("no space left on device", DISK_FULL),
    ("disk quota exceeded", DISK_FULL),
    ('could not select device driver "cdi"', CDI_UNAVAILABLE),
    ("could not select device driver", NO_GPU_RUNTIME),
    ("unresolvable cdi device", CDI_STALE),
    ("cdi device injection failed", CDI_STALE),
    ("error gathering device information", CDI_STALE),
    ("nvidia-container-cli", GPU_RUNTIME_FAILED),
    ("nvidia-container-runtime", GPU_RUNTIME_FAILED),
    ("unknown runtime specified", RUNTIME_UNKNOWN),
    ("unknown or invalid runtime name", RUNTIME_UNKNOWN),
    ("error setting rlimit", RLIMIT_REFUSED),
    ("already in use by container", NAME_CONFLICT),
    ("port is already allocated", PORT_TAKEN),
    ("address already in use", PORT_TAKEN),
    ("bind source path does not exist", MOUNT_REFUSED),
    ("error mounting", MOUNT_REFUSED),
    ("error while creating mount", MOUNT_REFUSED),
    ("toomanyrequests", REGISTRY_BUSY),
    ("too many requests", REGISTRY_BUSY),
    ("service unavailable", REGISTRY_BUSY),
    ("bad gateway", REGISTRY_BUSY),
    ("internal server error", REGISTRY_BUSY),
    ("manifest verification failed", IMAGE_DIGEST_MISMATCH),
    ("layer verification failed", IMAGE_DIGEST_MISMATCH),
    ("does not match provided digest", IMAGE_DIGEST_MISMATCH),
    ("unexpected commit digest", IMAGE_DIGEST_MISMATCH),
    ("no matching manifest", IMAGE_WRONG_PLATFORM),
    ("cannot be used on this platform", IMAGE_WRONG_PLATFORM),
    ("does not match the specified platform", IMAGE_WRONG_PLATFORM),
    ("unauthorized", IMAGE_NO_ACCESS),
    ("no basic auth credentials", IMAGE_NO_ACCESS),
    ("access to the resource is denied", IMAGE_NO_ACCESS),
    ("invalid reference format", IMAGE_NAME_INVALID),
    ("repository name must be", IMAGE_NAME_INVALID),
    ("invalid checksum digest", IMAGE_NAME_INVALID),
    ("no such image", IMAGE_NOT_FOUND),
    ("manifest unknown", IMAGE_NOT_FOUND),
    ("name unknown", IMAGE_NOT_FOUND),
    ("not found: manifest", IMAGE_NOT_FOUND),
    ("repository does not exist", IMAGE_NOT_FOUND),
    ("no such host", REGISTRY_UNKNOWN),
    ("server misbehaving", REGISTRY_UNREACHABLE),
    ("connection refused", REGISTRY_UNREACHABLE),
    ("connection reset", REGISTRY_UNREACHABLE),
    ("no route to host", REGISTRY_UNREACHABLE),
    ("network is unreachable", REGISTRY_UNREACHABLE),
    ("i/o timeout", REGISTRY_UNREACHABLE),
    ("tls handshake timeout", REGISTRY_UNREACHABLE),
    ("request canceled", REGISTRY_UNREACHABLE),
    ("unexpected eof", REGISTRY_UNREACHABLE),
    ("the pull broke off", REGISTRY_UNREACHABLE),
    ("x509:", REGISTRY_UNTRUSTED),
    ("server gave http response to https client", REGISTRY_UNTRUSTED),
    ("no command specified", NO_COMMAND),
    ("exec format error", COMMAND_WRONG_PLATFORM),
    ("executable file not found", COMMAND_NOT_FOUND),
    ("permission denied: unknown", COMMAND_NOT_EXECUTABLE),
    ("no such file or directory: unknown", COMMAND_NOT_FOUND),
    ("oci runtime create failed", ENGINE_FAILED),
    ("failed to create shim", ENGINE_FAILED),
    ("failed to create task", ENGINE_FAILED),
    ("error creating overlay mount", ENGINE_FAILED),
    ("context deadline exceeded", ENGINE_FAILED),
)
"""The first match counts, so specific rules come first: a layer may fail because the disk is full."""


def classify_engine_error(text: str) -> EngineFault:
    """Return the fault that a message of the engine means."""
    lowered = text.lower()
    for pattern, fault in _RULES:
        if pattern in lowered:
            return fault
    if lowered.startswith("network ") and lowered.endswith(" not found"):
        return NETWORK_MISSING
    return ENGINE_ERROR


def start_error_of(fault: EngineFault, detail: str) -> StartError:
    """Return the error of a start: the code first, then the engine's own message."""
    return StartError(fault.cause, f"{fault.code}: {detail}")


def to_start_error(text: str) -> StartError:
    """Return the error of a start for this message of the engine."""
    return start_error_of(classify_engine_error(text), text)
