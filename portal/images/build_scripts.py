"""The shell script that builds an image in a container: its steps, its log, and its end; pure.

A build is a job: what the script prints is the job's log, its exit code the job's. When the steps
are done, it asks its node to save the container's files and waits for what becomes of them.
"""

import re
from collections.abc import Sequence
from shlex import quote
from typing import Final

from portal.images.dockerfiles import (
    Dockerfile,
    Ignored,
    Run,
    RunFile,
    Step,
    Variable,
    WorkingDir,
)

_PART: Final = re.compile(r"(\$\$|\$\{\w+\})")
_BEGIN: Final = """\
if [ -z "$BERTH_BUILD_DONE_FILE" ]; then
  echo 'No image can be built here: this job was not submitted as a build (page Images), or its' >&2
  echo 'node has no container engine, or an agent that is too old.' >&2
  exit 1
fi
exec 2>&1
umask 022
trap 'exit 143' TERM
berth_path=$PATH
berth_run() {
  "$@" </dev/null &
  wait $!
  berth_code=$?
  [ "$berth_code" -eq 0 ] && return
  echo "This step failed with exit code $berth_code. No image is made."
  exit "$berth_code"
}
berth_run_file() {
  berth_file=$(PATH=$berth_path mktemp) || exit 1
  printf '%s' "$1" > "$berth_file" && PATH=$berth_path chmod 700 "$berth_file" || exit 1
  "$berth_file"
  berth_code=$?
  PATH=$berth_path rm -f "$berth_file"
  return "$berth_code"
}
cd /
"""
_END: Final = """\
PATH=$berth_path
echo 'The steps are done. The files are being collected and sent to the registry.'
: > "$BERTH_BUILD_DONE_FILE" || exit 1
while [ ! -e "$BERTH_BUILD_VERDICT_FILE" ]; do sleep 1 & wait $!; done
read -r berth_verdict < "$BERTH_BUILD_VERDICT_FILE"
if [ "$berth_verdict" = saved ]; then
  echo %(done)s
  exit 0
fi
echo "The image was not saved: $berth_verdict"
exit 1
"""
PIP: Final = "python3 -m pip install --no-cache-dir --no-input -r /tmp/requirements.txt"
PIP_ENV: Final = (
    Variable("PIP_BREAK_SYSTEM_PACKAGES", "1", is_kept=False),
    Variable("PIP_ROOT_USER_ACTION", "ignore", is_kept=False),
    Variable("PIP_DISABLE_PIP_VERSION_CHECK", "1", is_kept=False),
)
APT: Final = (
    "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends"
    " {packages} && rm -rf /var/lib/apt/lists/*"
)


def plan_requirements(base: str, requirements: str, packages: Sequence[str]) -> Dockerfile:
    """Return what installs packages of the distribution, and then Python ones, on an image."""
    steps: list[Step] = []
    if packages:
        steps.append(Run(APT.format(packages=" ".join(map(quote, packages)))))
    if requirements.strip():
        write = f"printf '%s\\n' {quote(requirements)} > /tmp/requirements.txt"
        steps += [*PIP_ENV, Run(write), Run(PIP), Run("rm -f /tmp/requirements.txt")]
    return Dockerfile(base, tuple(steps))


def write_script(plan: Dockerfile, image: str) -> str:
    """Return the script that builds an image of this full name."""
    lines = [_BEGIN]
    for number, step in enumerate(plan.steps, 1):
        lines += _lines(step, f"Step {number}/{len(plan.steps)}: ")
    return "\n".join([*lines, _END % {"done": quote(f"The image is saved: {image}")}])


def _lines(step: Step, title: str) -> list[str]:
    match step:
        case Variable(name, value, _):
            return [f"export {name}={_shell_text(value)}"]
        case WorkingDir(path):
            folder = _shell_text(path)
            return [_say(f"{title}WORKDIR"), f"mkdir -p -- {folder} && cd -- {folder} || exit 1"]
        case Ignored(text):
            return [_say(f"{title}{text} (has no effect here)")]
        case RunFile(content):
            shown = _say(f"{title}RUN {content}")
            return [shown, f"berth_run berth_run_file {quote(content)}"]
        case Run(command):
            words = ("/bin/sh", "-c", command) if isinstance(command, str) else command
            shown = command if isinstance(command, str) else " ".join(command)
            return [_say(f"{title}RUN {shown}"), f"berth_run {' '.join(map(quote, words))}"]


def _say(text: str) -> str:
    return f"printf '%s\\n' {quote(_one_line(text))}"


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 300 else f"{line[:300]}…"


def _shell_text(value: str) -> str:
    """Return a `Variable`'s value for the shell: only the variables that it names are expanded."""
    parts = ("$" if part == "$$" else part for part in _PART.split(value) if part)
    return "".join(f'"{part}"' if part.startswith("${") else quote(part) for part in parts) or "''"
