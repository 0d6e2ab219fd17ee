"""`python -m tests.architecture.commit_subject FILE`: the rules of a commit's subject.

A hook of `.pre-commit-config.yaml` runs it on each message; exit status 1 says what is wrong. A test
reads the subjects of new commits, because a hook is installed only where somebody did so.
"""

import re
import sys
from pathlib import Path
from typing import Final

SUBJECT_MAX: Final = 70
"""Characters."""
_NO_COMMAND: Final = re.compile(
    r"(?!(?:Bring|Embed|Feed|Focus|Need|Ping|Seed|Speed|Spring|String)\b)"
    r"(?:\w+(?:ing|ed|[^s]s)|A|An|No|Now|The|WIP|Wip)\b",
)
"""First words that tell what somebody did or does, or that begin a sentence."""
_BY_GIT: Final = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")


def faults_of(message: str) -> list[str]:
    """Return what is wrong with a message; its subject is the first line that is no comment."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    if subject.startswith(_BY_GIT):
        return []
    faults = []
    if not subject:
        faults.append("the first line is the subject, and it is empty")
    if len(subject) > SUBJECT_MAX:
        faults.append(f"the subject has {len(subject)} characters, at most {SUBJECT_MAX} are read")
    if subject.endswith("."):
        faults.append("the subject is a title: no period at its end")
    if subject[:1] != subject[:1].upper():
        faults.append("the subject begins with a capital letter")
    if command := _NO_COMMAND.match(subject):
        faults.append(
            f"the subject begins with a command, such as Add or Fix, not with {command[0]}"
        )
    if len(lines) > 1 and lines[1].strip():
        faults.append("the second line is empty; the body, which says why, begins below it")
    return faults


def main() -> int:
    """Check the message in a file, as Git gives it to a hook."""
    faults = faults_of(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
