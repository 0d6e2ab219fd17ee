"""One attempt as a batch script and the options of `sbatch`: pure.

The script fences itself: whichever job of an attempt comes first makes a folder, and another one ends at
that folder without having run anything.
"""

import base64
import math
import shlex
from collections import Counter
from collections.abc import Mapping
from typing import Final

from portal.execution.desired import WantedContainer, WorkSpec
from portal.foreign.bounds import BACKSTOP_S
from portal.foreign.environment import rank_environment
from portal.slurm.names import job_folder, job_name
from portal.slurm.values import PartitionTerms, SubmitJob

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
        for name, value in _environment(item, order, terms).items()
    ]
    count = len(item.devices)
    if item.spec.ranks_here > 1 and count:
        first = item.spec.local_rank * count + 1
        lines.append(_CARDS.format(first=first, last=first + count - 1))
    return "\n".join((f"{rank})", *lines, "  ;;"))


def _environment(
    item: WantedContainer, order: SubmitJob, terms: PartitionTerms
) -> Mapping[str, str]:
    """Return the variables of a rank; hosts are the cluster's names, which resolve on its nodes."""
    hosts, outputs = item.spec.hosts or order.nodes, _outputs(terms, item.spec)
    return rank_environment(item, nodes=order.nodes, hosts=hosts, outputs=outputs)


def _outputs(terms: PartitionTerms, spec: WorkSpec) -> str:
    return f"{terms.work_dir}/outputs/{spec.workload}"
