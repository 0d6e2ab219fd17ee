"""What the engine says becomes a code; sentences as Engine 20.10 to 28 and podman write them."""

import pytest

from nodeagent.docker.engine.errors import classify_engine_error, to_start_error
from wire.words import ExitCause

USER = ExitCause.START_FAILED
IMAGE = ExitCause.IMAGE_UNAVAILABLE
NODE = ExitCause.NODE_FAULT


@pytest.mark.parametrize(
    ("text", "cause", "code"),
    [
        ('could not select device driver "" with capabilities: [[gpu]]', NODE, "no_gpu_runtime"),
        ('could not select device driver "cdi" with capabilities: []', NODE, "cdi_unavailable"),
        ("error: unresolvable CDI devices nvidia.com/gpu=GPU-1", NODE, "cdi_stale"),
        ("nvidia-container-cli: initialization error: nvml error", NODE, "gpu_runtime_failed"),
        ("Unknown runtime specified nvidia", NODE, "runtime_unknown"),
        ("unknown or invalid runtime name: nvidia", NODE, "runtime_unknown"),
        (
            "OCI runtime create failed: error setting rlimit type 8: operation not permitted",
            NODE,
            "rlimit_refused",
        ),
        ("failed to register layer: write /x: no space left on device", NODE, "disk_full"),
        ('Conflict. The container name "/b" is already in use by container', NODE, "name_conflict"),
        ("driver failed: Bind for 127.0.0.1:80: port is already allocated", NODE, "port_taken"),
        ("network tenants not found", NODE, "network_missing"),
        ("invalid mount config: bind source path does not exist: /x", NODE, "mount_refused"),
        ("OCI runtime create failed: something of its own", NODE, "engine_failed"),
        ("No such image: berth/x:1", IMAGE, "image_not_found"),
        ("manifest for r/x:1 not found: manifest unknown: unknown", IMAGE, "image_not_found"),
        (
            "pull access denied for x, repository does not exist or may require 'docker login'",
            IMAGE,
            "image_not_found",
        ),
        ("unauthorized: incorrect username or password", IMAGE, "image_no_access"),
        ("Head https://r/v2/x: no basic auth credentials", IMAGE, "image_no_access"),
        ("invalid reference format: must be lowercase", IMAGE, "image_name_invalid"),
        ("manifest verification failed for digest sha256:1", IMAGE, "image_digest_mismatch"),
        ("filesystem layer verification failed for digest x", IMAGE, "image_digest_mismatch"),
        ("no matching manifest for linux/amd64 in the list", IMAGE, "image_wrong_platform"),
        ("toomanyrequests: slow down", IMAGE, "registry_busy"),
        ("received unexpected HTTP status: 503 Service Unavailable", IMAGE, "registry_busy"),
        ("dial tcp: lookup r on [::1]:53: no such host", IMAGE, "registry_unknown"),
        ("dial tcp 127.0.0.1:5000: connect: connection refused", IMAGE, "registry_unreachable"),
        ("unexpected EOF", IMAGE, "registry_unreachable"),
        ("x509: certificate signed by unknown authority", IMAGE, "registry_untrusted"),
        ('exec: "x": executable file not found in $PATH: unknown', USER, "command_not_found"),
        ("exec: /x: permission denied: unknown", USER, "command_not_executable"),
        ("exec /x: exec format error", USER, "command_wrong_platform"),
        ("No command specified", USER, "no_command"),
        ("something new", USER, "engine_error"),
    ],
)
def test_engine_s_words_become_a_code_and_say_whose_fault_it_is(
    text: str, cause: ExitCause, code: str
) -> None:
    error = to_start_error(text)
    assert (error.cause, error.detail.split(": ", 1)[0]) == (cause, code)
    assert text[:50] in error.detail


@pytest.mark.parametrize(
    ("text", "is_transient"),
    [
        ("connection refused", True),
        ("toomanyrequests", True),
        ("unexpected EOF", True),
        ("no such host", False),
        ("manifest unknown", False),
        ("unauthorized", False),
        ("manifest verification failed", False),
        ("no space left on device", False),
    ],
)
def test_only_what_may_pass_by_itself_is_tried_again(text: str, *, is_transient: bool) -> None:
    assert classify_engine_error(text).is_transient is is_transient
