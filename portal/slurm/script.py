"""One attempt as a batch script and the options of `sbatch`: pure.

The script fences itself: whichever job of an attempt comes first makes a folder, and another one ends at
that folder without having run anything.
"""

import base64
import math
import shlex
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from portal.execution.desired import WantedContainer, WorkSpec
from portal.slurm.names import job_folder, job_name
from portal.slurm.values import JobKey, PartitionTerms, SubmitJob

BACKSTOP_S: Final = 120
"""How much later than the portal Slurm itself ends work over its limit."""
_PORT_MIN: Final = 20_000
_PORTS: Final = 10_000

_BATCH: Final = """#!/bin/bash
set -u
folder={folder}
mkdir "$folder/started" || exit 0
umask 077
{files}
umask 022
mkdir -p {outputs}
cd {outputs} || exit 1
{run}
"""
_ALONE: Final = 'exec /bin/bash "$folder/rank.sh"'
_GANG: Final = """printf '%s\\n' {hosts} > "$folder/hosts"
export SLURM_HOSTFILE="$folder/hosts"
trap : TERM INT HUP USR1 USR2
srun --export=ALL --ntasks={ranks} --nodes={nodes} --distribution=arbitrary --mpi=none \\
  --kill-on-bad-exit=1 --open-mode=append --output="$folder/%t.log" /bin/bash "$folder/rank.sh"
code=$?
[ ! -e "$folder/failed" ] || code="$(cat "$folder/failed")"
exit "$code\""""
_RANKS: Final = """folder={folder}
case "${{SLURM_PROCID:-0}}" in
{cases}
esac
{run}
"""
_ONE: Final = "exec {argv}"
_RANK: Final = """trap : TERM INT HUP USR1 USR2
{argv}
code=$?
[ "$code" -eq 0 ] || (set -C; printf '%s\\n' "$code" > "$folder/failed") 2> /dev/null
exit "$code\""""
"""The first rank that fails says how the job ends: the others are killed for it."""
_CARDS: Final = """  if [ -n "${{CUDA_VISIBLE_DEVICES:-}}" ]; then
    export CUDA_VISIBLE_DEVICES="$(printf '%s' "$CUDA_VISIBLE_DEVICES" | cut -d, -f{first}-{last})"
  fi"""


def sbatch_options(order: SubmitJob, terms: PartitionTerms) -> tuple[str, ...]:
    """Return the options of `sbatch`: always with a time limit, never queued again by Slurm itself."""
    spec, here = order.ranks[0].spec, max(Counter(order.nodes).values())
    folder = job_folder(terms.work_dir, terms.site, order.key)
    chosen = {"account": terms.account, "qos": terms.qos, "gres": _gres(order, here)}
    log = "0.log" if len(order.ranks) == 1 else "batch.log"
    return (
        "--parsable",
        f"--job-name={job_name(terms.site, order.key)}",
        f"--comment={','.join(order.nodes)}",
        f"--partition={terms.partition}",
        f"--nodes={len(set(order.nodes))}",
        f"--ntasks={len(order.ranks)}",
        f"--ntasks-per-node={here}",
        f"--nodelist={','.join(dict.fromkeys(order.nodes))}",
        f"--cpus-per-task={max(1, math.ceil(spec.cpu_milli / 1000))}",
        f"--mem={spec.memory_mib * here}M",
        f"--time={_minutes(order, terms)}",
        "--no-requeue",
        "--dependency=singleton",
        "--export=NONE",
        "--open-mode=append",
        f"--chdir={terms.work_dir}",
        f"--output={folder}/{log}",
        *(f"--{name}={value}" for name, value in chosen.items() if value),
    )


def _gres(order: SubmitJob, here: int) -> str:
    """Return the GPUs of each node; Slurm chooses which of them."""
    count = len(order.ranks[0].devices) * here
    return f"gpu:{count}" if count else ""


def _minutes(order: SubmitJob, terms: PartitionTerms) -> int:
    limit = order.ranks[0].limit
    if limit is None:
        return max(1, math.ceil(terms.time_limit_s / 60))
    return math.ceil((limit.remaining_s + limit.grace_s + BACKSTOP_S) / 60)


def batch_script(order: SubmitJob, terms: PartitionTerms) -> str:
    """Return the script of a job: it writes what its ranks run, and becomes them."""
    folder = job_folder(terms.work_dir, terms.site, order.key)
    spec = order.ranks[0].spec
    files = {"rank.sh": _rank_script(order, terms, folder)}
    if spec.script:
        files["program"] = spec.script
    return _BATCH.format(
        folder=shlex.quote(folder),
        files="\n".join(_written(name, text) for name, text in files.items()),
        outputs=shlex.quote(_outputs(terms, spec)),
        run=_ALONE if len(order.ranks) == 1 else _gang(order),
    )


def _written(name: str, text: str) -> str:
    """Return the line that writes a file, whatever is in it."""
    coded = base64.b64encode(text.encode()).decode()
    return f'printf %s {coded} | base64 -d > "$folder/{name}" && chmod 700 "$folder/{name}"'


def _gang(order: SubmitJob) -> str:
    return _GANG.format(
        hosts=" ".join(map(shlex.quote, order.nodes)),
        ranks=len(order.ranks),
        nodes=len(set(order.nodes)),
    )


def _rank_script(order: SubmitJob, terms: PartitionTerms, folder: str) -> str:
    cases = "\n".join(_case(order, terms, rank) for rank in range(len(order.ranks)))
    shape = _ONE if len(order.ranks) == 1 else _RANK
    run = shape.format(argv=_argv(order.ranks[0].spec))
    return _RANKS.format(folder=shlex.quote(folder), cases=cases, run=run)


def _argv(spec: WorkSpec) -> str:
    if not spec.script:
        return shlex.join(spec.command) or "true"
    given = f" {shlex.join(spec.command)}" if spec.command else ""
    is_marked = spec.script.startswith("#!")
    return f'"$folder/program"{given}' if is_marked else f'/bin/sh "$folder/program"{given}'


def _case(order: SubmitJob, terms: PartitionTerms, rank: int) -> str:
    item = order.ranks[rank]
    lines = [
        f"  export {name}={shlex.quote(value)}"
        for name, value in rank_environment(item, order, terms).items()
    ]
    count = len(item.devices)
    if item.spec.ranks_here > 1 and count:
        first = item.spec.local_rank * count + 1
        lines.append(_CARDS.format(first=first, last=first + count - 1))
    return "\n".join((f"{rank})", *lines, "  ;;"))


def rank_environment(
    item: WantedContainer, order: SubmitJob, terms: PartitionTerms
) -> Mapping[str, str]:
    """Return the variables of a rank: the user's, and above them those that every back end sets."""
    return {**item.spec.env, **dict(_variables(item, order, terms))}


def _variables(
    item: WantedContainer, order: SubmitJob, terms: PartitionTerms
) -> Iterator[tuple[str, str]]:
    spec = item.spec
    yield from {
        "BERTH_WORKLOAD": spec.workload,
        "BERTH_NAME": spec.name,
        "BERTH_KIND": spec.kind,
        "BERTH_EPOCH": str(item.epoch),
        "BERTH_NODE": order.nodes[spec.rank],
        "BERTH_CPU_MILLI": str(spec.cpu_milli),
        "BERTH_MEMORY_MIB": str(spec.memory_mib),
        "BERTH_OUTPUT_DIR": _outputs(terms, spec),
        "BERTH_RESTART": str(spec.restart),
    }.items()
    if spec.array is not None:
        yield "BERTH_ARRAY_ID", spec.array.id
        yield "BERTH_ARRAY_INDEX", str(spec.array.index)
        yield "BERTH_ARRAY_SIZE", str(spec.array.size)
    yield from _rendezvous(spec, order.key, order.nodes).items()


def _rendezvous(spec: WorkSpec, key: JobKey, nodes: Sequence[str]) -> Mapping[str, str]:
    """Return how a rank finds the others; hosts are the cluster's names, which resolve on its nodes."""
    port = str(_PORT_MIN + zlib.crc32(f"{key.workload.hex}.{key.epoch}".encode()) % _PORTS)
    return {
        "NNODES": str(spec.ranks),
        "NODE_RANK": str(spec.rank),
        "GROUP_RANK": str(spec.rank),
        "GROUP_WORLD_SIZE": str(spec.ranks),
        "MASTER_ADDR": spec.hosts[0] if spec.hosts else nodes[0],
        "MASTER_PORT": port,
        "BERTH_HOSTS": ",".join(spec.hosts or nodes),
        "BERTH_RANKS_HERE": str(spec.ranks_here),
        "BERTH_RANK_HERE": str(spec.local_rank),
    }


def _outputs(terms: PartitionTerms, spec: WorkSpec) -> str:
    return f"{terms.work_dir}/outputs/{spec.workload}"
