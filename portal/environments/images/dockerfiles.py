"""What a Dockerfile says, as far as images are built here; pure.

There is no folder of files beside it, and each image is built on one image of the catalogue. What
would reach past that (`ADD`, `COPY`, mounts, a second `FROM`) is refused with its line.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from portal.common.errors import InvalidError
from portal.workloads.submission.variable_names import find_malformed_names
from wire.images import ENV_LINE_MAX, ENV_LINES_MAX

STEPS_MAX: Final = 100
"""Instructions of one Dockerfile."""
POINTER: Final = "/dockerfile"
IGNORED: Final = frozenset({"CMD", "ENTRYPOINT", "EXPOSE", "LABEL", "MAINTAINER", "USER"})
"""What has no effect here: work names its own command, and always has the platform's user."""
IMAGE_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)?")
RESERVED: Final = "BERTH_"
"""How the names of variables begin that are the platform's."""
_CONTINUED: Final = re.compile(r"\\[ \t]*$")
_REFERENCE: Final = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Variable:
    """`ENV` or `ARG`: `value` has `${NAME}` for an earlier variable and `$$` for a dollar sign."""

    name: str
    value: str
    is_kept: bool
    """Whether the image has it as well, not only its build."""


@dataclass(frozen=True, slots=True)
class Run:
    """A command, for the shell or in exec form."""

    command: str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorkingDir:
    """Where the commands after it run, written as a `Variable`'s value."""

    path: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """An instruction without effect here; the log names it."""

    text: str


Step = Variable | Run | WorkingDir | Ignored


@dataclass(frozen=True, slots=True)
class Dockerfile:
    """The image that is built on, by its name in the catalogue, and what is done to it."""

    base: str
    steps: tuple[Step, ...]

    @property
    def env(self) -> tuple[str, ...]:
        """The variables of the image, as `wire.images.SaveImage.env`."""
        kept = (item for item in self.steps if isinstance(item, Variable) and item.is_kept)
        return tuple(f"{item.name}={item.value}" for item in kept)


@dataclass(slots=True)
class _Parser:
    """The parts of one Dockerfile that later instructions depend on."""

    line: int = 0
    args: dict[str, str] = field(default_factory=dict)

    def refuse(self, code: str, **params: str | int) -> InvalidError:
        return InvalidError(code, pointer=POINTER, line=self.line, **params)

    def steps(self, word: str, rest: str) -> list[Step]:
        """Return what an instruction means."""
        match word:
            case "RUN":
                return [Run(self._command(rest))]
            case "ENV":
                return self._variables(rest)
            case "ARG":
                return [self._argument(item) for item in rest.split(maxsplit=1)[:1]]
            case "WORKDIR":
                return [WorkingDir(self._value(rest))]
            case _ if word in IGNORED:
                return [Ignored(f"{word} {rest}"[:200])]
            case "FROM":
                raise self.refuse("build_one_from")
            case "ADD" | "COPY":
                raise self.refuse("build_without_files", instruction=word)
            case _:
                raise self.refuse("build_unknown_instruction", instruction=word[:20])

    def _command(self, rest: str) -> str | tuple[str, ...]:
        if rest.startswith("--"):
            raise self.refuse(
                "build_flag_refused", flag=rest.split(maxsplit=1)[0].partition("=")[0][:40]
            )
        if not rest.startswith("["):
            return rest
        try:
            items = json.loads(rest)
        except ValueError:
            return rest  # as Docker does: the shell has a command of this name
        if not items or not all(isinstance(item, str) for item in items):
            raise self.refuse("build_bad_instruction", instruction="RUN")
        return tuple(items)

    def _argument(self, text: str) -> Variable:
        name, _, value = text.partition("=")
        self._require_name(name)
        self.args[name] = self._value(value)
        return Variable(name, self.args[name], is_kept=False)

    def _variables(self, rest: str) -> list[Step]:
        """Return what `ENV` sets; to Docker, names of the same line have their values from before."""
        pairs = list(self._pairs(rest))
        for at, (name, value) in enumerate(pairs):
            self._require_name(name)
            self.args.pop(name, None)
            if any(f"${{{earlier}}}" in value for earlier, _ in pairs[:at]):
                raise self.refuse("build_bad_reference")
        return [Variable(name, value, is_kept=True) for name, value in pairs]

    def _pairs(self, rest: str) -> Iterator[tuple[str, str]]:
        """Yield names and values of `ENV A=1 B="2 3"`, or of the old form `ENV A 1`."""
        first, _, after = rest.partition(" ")
        if "=" not in first:
            yield first, self._value(after.strip(), is_whole=True)
            return
        while rest:
            name, equals, rest = rest.partition("=")
            if not equals:
                raise self.refuse("build_bad_instruction", instruction="ENV")
            value, rest = self._read_word(rest)
            yield name, value

    def _value(self, text: str, *, is_whole: bool = False) -> str:
        value, rest = self._read_word(text, is_whole=is_whole)
        if rest:
            raise self.refuse("build_bad_instruction", instruction=text[:20])
        return value

    def _read_word(self, text: str, *, is_whole: bool = False) -> tuple[str, str]:
        """Return the first word, its references resolved as far as possible, and what follows it."""
        found, quote, at = "", "", 0
        while at < len(text):
            char = text[at]
            if char.isspace() and not quote and not is_whole:
                break
            if char in "'\"" and quote in ("", char):
                quote, at = ("" if quote else char), at + 1
            elif char == "\\" and quote != "'":
                found, at = found + to_template(text[at + 1 : at + 2]), at + 2
            elif char == "$" and quote != "'":
                value, at = self._reference(text, at)
                found += value
            else:
                found, at = found + to_template(char), at + 1
            if len(found) > ENV_LINE_MAX // 2:
                raise self.refuse("build_value_too_long", max=ENV_LINE_MAX // 2)
        if quote:
            raise self.refuse("build_open_quote")
        return found, text[at:].strip()

    def _reference(self, text: str, at: int) -> tuple[str, int]:
        """Return what `$NAME` stands for and where it ends: a constant, or a variable of the image."""
        found = _REFERENCE.match(text, at)
        if found is None:
            if text.startswith("${", at):
                raise self.refuse("build_bad_reference")
            return "$$", at + 1
        name = found[1] or found[2]
        if not _NAME.fullmatch(name):
            return "", found.end()  # `$1`: nothing, outside of a shell
        return self.args.get(name, f"${{{name}}}"), found.end()

    def _require_name(self, name: str) -> None:
        if find_malformed_names([name]) or name.upper().startswith(RESERVED):
            raise self.refuse("build_bad_name", name=name[:63])


def parse_dockerfile(text: str) -> Dockerfile:
    """Return what a Dockerfile says; raises `InvalidError` with the line."""
    parser, base, steps = _Parser(), "", []
    for line, word, rest in _instructions(text):
        parser.line = line
        if not base:
            base = _base(parser, word, rest)
        elif not rest:
            raise parser.refuse("build_bad_instruction", instruction=word[:20])
        else:
            steps += parser.steps(word, rest)
        if len(steps) > STEPS_MAX:
            raise parser.refuse("build_too_many_steps", max=STEPS_MAX)
    if not base:
        raise parser.refuse("build_from_first")
    found = Dockerfile(base, tuple(steps))
    if len(found.env) > ENV_LINES_MAX:
        raise parser.refuse("build_too_many_variables", max=ENV_LINES_MAX)
    return found


def to_template(value: str) -> str:
    """Return a text as a `Variable`'s value."""
    return value.replace("$", "$$")


def _base(parser: _Parser, word: str, rest: str) -> str:
    """Return the image that `FROM` names; `AS` and a name after it are for further stages only."""
    if word != "FROM":
        raise parser.refuse("build_from_first")
    names = rest.split()
    is_staged = len(names) == 3 and names[1].upper() == "AS"
    if not names or not (len(names) == 1 or is_staged):
        raise parser.refuse("build_bad_instruction", instruction="FROM")
    if not IMAGE_NAME.fullmatch(names[0]):
        raise parser.refuse("build_foreign_base", image=names[0][:63])
    return names[0]


def _instructions(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, word and rest of each instruction; comments may stand between continued lines."""
    begun, pending = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or not (line.strip() or pending):
            continue
        begun = begun or number
        if _CONTINUED.search(line):
            pending += _CONTINUED.sub("", line)
            continue
        yield _split(begun, pending + line)
        begun, pending = 0, ""
    if pending.strip():
        yield _split(begun, pending)


def _split(line: int, text: str) -> tuple[int, str, str]:
    word, *rest = text.strip().split(maxsplit=1)
    return line, word.upper(), rest[0] if rest else ""
