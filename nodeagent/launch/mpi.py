"""Runs one `mpirun` for all ranks of a training, without ssh.

Rank 0 runs `mpirun` (Open MPI), with this script in place of ssh. The script writes each command to
the shared folder of the job, where the rank that is addressed reads it. So containers need no ssh
server, no keys and no open port for it; `mpirun` and its daemons then communicate over the gang's
network.
"""

from collections.abc import Collection
from typing import Final

SCRIPT_NAME: Final = "mpi"
ENVIRONMENT: Final = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
"""Work runs as who the operator has chosen; `mpirun` refuses root unless both are set."""
SCRIPT: Final = r"""#!/bin/sh
set -u
post="$BERTH_OUTPUT_DIR/.mpi/$BERTH_EPOCH"
mkdir -p "$post"
put() { printf '%s\n' "$2" > "$post/.$1" && mv "$post/.$1" "$post/$1"; }
await() { until [ -e "$post/$1" ] || [ -e "$post/over" ]; do sleep 0.2; done; }
lead() {
  mpirun --hostfile "$BERTH_HOSTFILE" --mca plm_rsh_agent "sh $0 rsh" \
    --mca plm_rsh_no_tree_spawn 1 "$@" &
  child=$!
  trap 'kill -TERM "$child"' TERM
  while :; do
    wait "$child"
    code=$?
    kill -0 "$child" 2>/dev/null || break
  done
  put over "$code"
  exit "$code"
}
serve() {
  await "command.$NODE_RANK"
  if [ -e "$post/command.$NODE_RANK" ]; then
    sh "$post/command.$NODE_RANK"
    put "code.$NODE_RANK" "$?"
  fi
  await over
  exit "$(cat "$post/over")"
}
role=$1
shift
if [ "$role" = rsh ]; then
  rank=${1#rank-}
  shift
  [ "$rank" != 0 ] || exec sh -c "$*"
  put "command.$rank" "$*"
  await "code.$rank"
  exit "$(cat "$post/code.$rank" 2>/dev/null || echo 1)"
fi
if [ "$NODE_RANK" -eq 0 ]; then lead "$@"; else serve; fi
"""


def mpi_argv(script: str, argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command line of a rank; only rank 0 runs the work's own command."""
    return ("sh", script, "run", *argv)


def mpi_hosts(ranks: int) -> tuple[str, ...]:
    """Return the host names for `mpirun`'s host list: several ranks may have the same address."""
    return tuple(f"rank-{rank}" for rank in range(ranks))


def shared_host_environment(hosts: Collection[str]) -> dict[str, str]:
    """Return what ranks need that share a host without containers between them; mostly nothing.

    Open MPI names its shared memory by host, job and process on the host. It takes each rank for a
    host, so two ranks would write to the same memory, and crash. They use the network instead.
    """
    if len(set(hosts)) == len(hosts):
        return {}
    return {"OMPI_MCA_btl": "^vader,sm"}
