"""What the engine says → why a container did not start."""

from typing import Final

from nodeagent.core.state import Cause

_RULES: Final[tuple[tuple[str, Cause, str], ...]] = (
    ("no such image", Cause.IMAGE_UNAVAILABLE, "image_not_found"),
    ("manifest unknown", Cause.IMAGE_UNAVAILABLE, "image_not_found"),
    ("not found: manifest", Cause.IMAGE_UNAVAILABLE, "image_not_found"),
    ("repository does not exist", Cause.IMAGE_UNAVAILABLE, "image_not_found"),
    ("pull access denied", Cause.IMAGE_UNAVAILABLE, "image_access_denied"),
    ("unauthorized", Cause.IMAGE_UNAVAILABLE, "image_access_denied"),
    ("invalid reference format", Cause.IMAGE_UNAVAILABLE, "image_name_invalid"),
    ("no matching manifest", Cause.IMAGE_UNAVAILABLE, "image_wrong_platform"),
    ("no such host", Cause.IMAGE_UNAVAILABLE, "registry_unreachable"),
    ("connection refused", Cause.IMAGE_UNAVAILABLE, "registry_unreachable"),
    ("i/o timeout", Cause.IMAGE_UNAVAILABLE, "registry_unreachable"),
    ("request canceled", Cause.IMAGE_UNAVAILABLE, "registry_unreachable"),
    ("no space left on device", Cause.START_FAILED, "disk_full"),
    ("executable file not found", Cause.START_FAILED, "command_not_found"),
    ("no such file or directory", Cause.START_FAILED, "command_not_found"),
    ("permission denied", Cause.START_FAILED, "command_not_executable"),
    ("exec format error", Cause.START_FAILED, "command_wrong_platform"),
    ("could not select device driver", Cause.START_FAILED, "gpu_runtime_missing"),
    ("nvidia-container-cli", Cause.START_FAILED, "gpu_runtime_failed"),
    ("port is already allocated", Cause.START_FAILED, "port_taken"),
    ("already in use by container", Cause.START_FAILED, "name_taken"),
    ("no command specified", Cause.START_FAILED, "no_command"),
)
"""First match wins: the engine has no codes for these, only sentences."""


def explain(text: str) -> tuple[Cause, str]:
    """Return the cause and a code with the engine's own words, for any error of a start."""
    lowered = text.lower()
    for words, cause, code in _RULES:
        if words in lowered:
            return cause, f"{code}: {text}"[:200]
    return Cause.START_FAILED, f"engine_error: {text}"[:200]
