"""How the lines of a Dockerfile make instructions, as Docker's own parser reads them; pure.

Directives, comments, continued lines, options and here-documents are those of BuildKit (docs/adr/0058).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from portal.common.errors import InvalidError
from portal.images.dockerfile_words import find_here_documents

POINTER: Final = "/dockerfile"
BYTE_ORDER_MARK: Final = "\ufeff"
SYNTAXES: Final = ("docker/dockerfile", "docker/dockerfile-upstream")
"""What `# syntax=` may name: other front ends read other languages."""
_WITH_DOCUMENTS: Final = frozenset({"ADD", "COPY", "RUN"})
_DIRECTIVE: Final = re.compile(r"#\s*(syntax|escape|check)\s*=\s*(\S.*?)\s*", re.IGNORECASE)
_BLANKS: Final = re.compile(r"[\t\v\f\r ]+")
_OPTION: Final = re.compile(r"--\S*")


@dataclass(frozen=True, slots=True)
class HereDocument:
    """What stands between `<<NAME` and a line with nothing but the name."""

    name: str
    content: str
    is_stripped: bool
    """Whether it was written `<<-`: tabs that its lines begin with do not count."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction, its continued lines joined; `word` is in capitals."""

    line: int
    word: str
    rest: str
    option: str = ""
    """The first of the options before `rest`, such as `--mount=…`."""
    documents: tuple[HereDocument, ...] = ()


@dataclass(slots=True)
class _Lines:
    """The lines of a Dockerfile that are still to be read."""

    left: Iterator[str]
    number: int = 0
    escape: str = "\\"
    continued: re.Pattern[str] = field(default_factory=lambda: _continued("\\"))

    def take(self) -> str | None:
        """Return the next line; none at the end."""
        line = next(self.left, None)
        self.number += line is not None
        return line


def read_instructions(text: str) -> tuple[str, Iterator[Instruction]]:
    """Return the escape character and the instructions, one by one.

    Both raise `InvalidError` with the line.
    """
    unmarked = text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")
    lines = _Lines(iter(unmarked.removesuffix("\n").split("\n")))
    first = _skip_directives(lines)
    return lines.escape, _instructions(lines, first)


def read_list(text: str) -> list[object] | None:
    """Return the list that a command in exec form is; none for one of the shell's, such as `[ -f x ]`."""
    if not text.startswith("["):
        return None
    try:
        return list(json.loads(text))
    except ValueError:
        return None


def _skip_directives(lines: _Lines) -> str | None:
    """Apply the directives; return the first line that is none."""
    seen: set[str] = set()
    while (line := lines.take()) is not None:
        found = _DIRECTIVE.fullmatch(line.lstrip())
        if found is None:
            break
        name, value = found[1].lower(), found[2]
        if name in seen or not _is_understood(name, value):
            raise InvalidError(
                "build_bad_directive",
                pointer=POINTER,
                line=lines.number,
                directive=f"{name}={value}"[:63],
            )
        seen.add(name)
        if name == "escape":
            lines.escape, lines.continued = value, _continued(value)
    return line


def _is_understood(name: str, value: str) -> bool:
    if name == "escape":
        return value in ("\\", "`")
    image = value.removeprefix("docker.io/").partition("@")[0].partition(":")[0]
    return name == "check" or image in SYNTAXES


def _continued(escape: str) -> re.Pattern[str]:
    """Return what ends a continued line: one escape character, two are an escaped one."""
    return re.compile(rf"(?:(?<![{re.escape(escape)}])|^){re.escape(escape)}[ \t]*\Z")


def _instructions(lines: _Lines, first: str | None) -> Iterator[Instruction]:
    line = first
    while line is not None:
        if line.strip() and not _is_comment(line):
            begun = lines.number
            yield _read(lines, begun, _joined(lines, line.lstrip()))
        line = lines.take()


def _joined(lines: _Lines, line: str) -> str:
    """Return a line with those that continue it; empty lines and comments among them do not count."""
    parts = []
    more: str | None = line
    while more is not None:
        end = lines.continued.search(more)
        parts.append(more[: end.start()] if end else more)
        if end is None:
            break
        more = lines.take()
        while more is not None and (not more.strip() or _is_comment(more)):
            more = lines.take()
    return "".join(parts)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _read(lines: _Lines, begun: int, text: str) -> Instruction:
    word, *rest = _BLANKS.split(text.strip(), maxsplit=1)
    option, said = _split_option(rest[0] if rest else "")
    name = word.upper()
    documents: tuple[HereDocument, ...] = ()
    if name in _WITH_DOCUMENTS and "<<" in text and read_list(said) is None:
        documents = tuple(_documents(lines, begun, text))
    return Instruction(begun, name, said, option, documents)


def _split_option(rest: str) -> tuple[str, str]:
    """Return the first option, and what follows it; `--` alone ends the options."""
    found = _OPTION.match(rest)
    if found is None:
        return "", rest.strip()
    option = "" if found[0] == "--" else found[0]
    return option, rest[found.end() :].strip()


def _documents(lines: _Lines, begun: int, text: str) -> Iterator[HereDocument]:
    """Yield the here-documents of an instruction: they follow it in the order of their names."""
    for name, is_stripped in find_here_documents(text):
        content = ""
        while (line := lines.take()) is not None:
            if (line.lstrip("\t") if is_stripped else line).rstrip("\r") == name:
                break
            content += f"{line}\n"
        else:
            raise InvalidError("build_open_document", pointer=POINTER, line=begun, name=name[:63])
        yield HereDocument(name, content, is_stripped)
