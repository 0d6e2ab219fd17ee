"""Small pieces of work that every runtime can be asked to run; only a shell is needed."""

from typing import Any, Final

from nodeagent.core.state import ContainerKey
from nodeagent.ports import ContainerOrder
from wire.messages import ContainerSpec
from wire.words import Device

SPOKEN: Final = b"one\ntwo\n"
SPEAKS_AND_EXITS_3: Final = ("sh", "-c", "echo one; echo two; exit 3")
SLEEPS: Final = ("sleep", "1000")
DEAF: Final = b"deaf\n"
IGNORES_SIGTERM: Final = ("sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 0.1; done")
HEEDS_WARNING: Final = (
    "sh",
    "-c",
    """trap 'read notice < "$BERTH_NOTICE_FILE"; echo "$notice"; exit 0' USR1
    : > "$BERTH_CHECKPOINT_FILE"; echo saved; while :; do sleep 0.1; done""",
)
"""Says that it is saved; when it is warned, repeats the notice and ends well."""
FILLS_MEMORY: Final = ("tail", "/dev/zero")
SHOWS_CARDS: Final = ("sh", "-c", "echo $CUDA_VISIBLE_DEVICES$LD_PRELOAD")
SERVES: Final = (
    "perl",
    "-e",
    (
        'socket(L, 2, 1, 6); bind(L, pack("S n a4 x8", 2, 0, pack("C4", 127, 0, 0, 1))); listen(L, 5);'
        '(undef, $port) = unpack("S n", getsockname(L)); $| = 1; print "$port\\n";'
        "while (accept(C, L)) { while (sysread(C, $data, 65536)) { syswrite(C, $data) } close C }"
    ),
)
"""Says on which port it listens, on loopback only, and repeats what it is sent."""
ANSWERS: Final = (
    "perl",
    "-e",
    SERVES[2].replace(
        "syswrite(C, $data)",
        '$code = $data =~ m!^GET /ready ! ? 204 : 503; syswrite(C, "HTTP/1.1 $code x\\r\\n\\r\\n"); last',
    ),
)
"""The same, but it answers requests: that it is ready at `/ready`, and at no other path."""
KILLS_ITSELF: Final = ("sh", "-c", "kill -9 $$")
"""As anybody on the host could."""
CRASHES: Final = ("sh", "-c", "kill -SEGV $$")
NOTES_A_FAULT: Final = (
    "sh",
    "-c",
    ': > "${BERTH_CHECKPOINT_FILE%/*}/fault.program_missing.ray"; exit 1',
)
"""As a launcher does that misses its program."""
LINKS_A_FAULT: Final = (
    "sh",
    "-c",
    'ln -s /etc/passwd "${BERTH_CHECKPOINT_FILE%/*}/fault.program_missing.ray"; exit 1',
)
"""What no launcher does."""
CHATTER: Final = b"again\n"
CHATTERS: Final = (
    *("sh", "-c"),
    """echo first; i=0; while :; do echo again; i=$((i+1))
    [ $i -ne 4000 ] || : > "$BERTH_CHECKPOINT_FILE"; done""",
)
"""Ends never; is saved once it has said more than a log holds in these tests."""
MEASURED: Final = b"@metrics loss=1\n"
MEASURES: Final = (
    *("sh", "-c"),
    "i=0; while [ $i -lt 4000 ]; do echo again; i=$((i+1)); done; echo '@metrics loss=1'",
)
"""Says more than a log holds in these tests, then a metric."""
REASON: Final = b"ValueError: the reason\n"
FLOODS: Final = (
    *("sh", "-c"),
    """i=0; while [ $i -lt 6000 ]; do printf '%0999d\\n' $i; i=$((i+1)); done
    echo 'ValueError: the reason'; exit 1""",
)
"""Says many times what a log holds in these tests, then why it fails.

All of it by one stream: an engine copies the two side by side, and keeps the order of each alone.
"""
FLOOD: Final = b"".join(b"%0999d\n" % number for number in range(6000))
NOT_FOUND: Final = ("/no/such/program",)
RUNS_LINES_OF_WINDOWS: Final = (
    *("sh", "-c"),
    r"""printf '#!/bin/sh\r\nset -o nounset\r\n' >a.sh; sh a.sh; exit 2""",
)
UNREADABLE_SCRIPT: Final = "#!/no/such/interpreter\n"
MISSING_IMAGE: Final = "registry.invalid/berth/missing:1"
SLOW_IMAGE: Final = "registry.invalid/berth/slow:1"
"""Known to the fake only: it comes when the test says so."""


def an_order(
    command: tuple[str, ...], *, epoch: int = 1, devices: tuple[Device, ...] = (), **spec: Any
) -> ContainerOrder:
    """Return an order for a training; `spec` changes any of its fields."""
    fields: dict[str, Any] = {
        "kind": "training",
        "workload": "job",
        "name": "test",
        "image": "berth/contract:1",
        "command": command,
        "cpu_milli": 500,
        "memory_mib": 64,
        "env": {"CUDA_VISIBLE_DEVICES": "all", "LD_PRELOAD": "/evil.so", "PERL_BADLANG": "0"},
    }
    return ContainerOrder(
        ContainerKey("job.0", epoch), devices, ContainerSpec.model_validate({**fields, **spec})
    )


def ignore_progress(_: str, __: int | None = None) -> None:
    """The `ProgressCallback` of tests that do not look at the steps of a start."""
