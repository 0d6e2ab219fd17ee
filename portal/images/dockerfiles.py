"""What a Dockerfile says, as far as images are built here; pure.

There is no folder of files beside it, and each image is built on one image of the catalogue. What
would reach past that (`ADD`, `COPY`, mounts, a second `FROM`) is refused with its line, and so is
what cannot be read as Docker would.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from portal.common.errors import InvalidError
from portal.images.dockerfile_lines import (
    POINTER,
    HereDocument,
    Instruction,
    read_instructions,
    read_list,
)
from portal.images.dockerfile_words import (
    Scope,
    WordError,
    expand,
    read_mark,
    split_words,
)
from portal.workloads.submission.variable_names import find_malformed_names
from wire.images import ENV_LINE_MAX, ENV_LINES_MAX

STEPS_MAX: Final = 100
"""Instructions of one Dockerfile."""
IGNORED: Final = frozenset({"CMD", "ENTRYPOINT", "EXPOSE", "LABEL", "MAINTAINER", "USER"})
"""What has no effect here: work names its own command, and always has the platform's user."""
_WITHOUT_OPTIONS: Final = frozenset({"FROM", "RUN", "ENV", "ARG", "WORKDIR", *IGNORED})
VALUE_MAX: Final = ENV_LINE_MAX // 2
"""Characters of one value of `ENV`, `ARG` and `WORKDIR`."""
IMAGE_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)?")
RESERVED: Final = "BERTH_"
"""How the names of variables begin that are the platform's."""
PLATFORM: Final = frozenset(
    f"{side}{what}"
    for side in ("BUILD", "TARGET")
    for what in ("PLATFORM", "OS", "ARCH", "VARIANT")
)
"""Arguments that Docker's builder sets by itself where they are declared."""
_FIRST_WORD: Final = re.compile(r"([^\t\v\f\r ]+)[\t\v\f\r ]+(.+)", re.DOTALL)
_LEADING_TABS: Final = re.compile(r"^\t+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Variable:
    """`ENV` or `ARG`; `value` is written as `dockerfile_words.expand` returns it."""

    name: str
    value: str
    is_kept: bool
    """Whether the image has it as well, not only its build."""


@dataclass(frozen=True, slots=True)
class Run:
    """A command, for the shell or in exec form."""

    command: str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunFile:
    """A here-document that names its interpreter in its first line."""

    content: str


@dataclass(frozen=True, slots=True)
class WorkingDir:
    """Where the commands after it run, written as a `Variable`'s value."""

    path: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """An instruction without effect here; the log names it."""

    text: str


Step = Variable | Run | RunFile | WorkingDir | Ignored


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

    escape: str
    line: int = 0
    global_args: dict[str, str] = field(default_factory=dict)
    """What `ARG` sets before `FROM`: it is seen there, and where `ARG` names it again."""
    scope: Scope = field(default_factory=lambda: Scope(VALUE_MAX, has_image=False))

    def refuse(self, code: str, **params: str | int) -> InvalidError:
        return InvalidError(code, pointer=POINTER, line=self.line, **params)

    def base(self, said: Instruction) -> str:
        """Return the image that `FROM` names, none for `ARG` before it.

        `AS` and a name after it are for further stages only.
        """
        self._begin(said)
        if said.word == "ARG":
            self._arguments(said.rest)
            return ""
        if said.word != "FROM":
            raise self.refuse("build_from_first")
        names = said.rest.split()
        is_staged = len(names) == 3 and names[1].upper() == "AS"
        if not names or not (len(names) == 1 or is_staged):
            raise self.refuse("build_bad_instruction", instruction="FROM")
        image = self._value(names[0])
        if not IMAGE_NAME.fullmatch(image):
            raise self.refuse("build_foreign_base", image=image[:63])
        self.global_args, self.scope = self.scope.args, Scope(VALUE_MAX)
        return image

    def steps(self, said: Instruction) -> list[Step]:
        """Return what an instruction after `FROM` means."""
        self._begin(said)
        match said.word:
            case "RUN":
                return [self._run(said)]
            case "ENV":
                return self._variables(said.rest)
            case "ARG":
                return self._arguments(said.rest)
            case "WORKDIR":
                return [WorkingDir(self._value(said.rest))]
            case word if word in IGNORED:
                return [Ignored(f"{word} {said.rest}"[:200])]
            case "FROM":
                raise self.refuse("build_one_from")
            case "ADD" | "COPY":
                raise self.refuse("build_without_files", instruction=said.word)
            case word:
                raise self.refuse("build_unknown_instruction", instruction=word[:20])

    def _begin(self, said: Instruction) -> None:
        self.line = said.line
        if said.option and said.word in _WITHOUT_OPTIONS:
            raise self.refuse("build_flag_refused", flag=said.option.partition("=")[0][:40])
        if not said.rest and said.word in _WITHOUT_OPTIONS:
            raise self.refuse("build_bad_instruction", instruction=said.word)

    def _run(self, said: Instruction) -> Run | RunFile:
        if said.documents:
            return _run_documents(said.rest, said.documents)
        items = read_list(said.rest)
        if items is None:
            return Run(said.rest)
        words = tuple(item for item in items if isinstance(item, str))
        if not words or len(words) < len(items):
            raise self.refuse("build_bad_instruction", instruction="RUN")
        return Run(words)

    def _arguments(self, rest: str) -> list[Step]:
        """Return what `ARG` sets, name by name; one without a value may have it from before `FROM`."""
        steps: list[Step] = []
        for word in split_words(rest, self.escape):
            name, equals, text = word.partition("=")
            self._require_name(name)
            if equals or name in self.global_args:
                value = self._value(text) if equals else self.global_args[name]
                self.scope.args[name] = value
                steps.append(Variable(name, value, is_kept=False))
            elif name in PLATFORM:
                raise self.refuse("build_platform_argument", name=name)
            else:
                steps.append(Ignored(f"ARG {name}"))
        return steps

    def _variables(self, rest: str) -> list[Step]:
        """Return what `ENV` sets; to Docker, names of the same line have their values from before."""
        pairs = [(self._value(name), self._value(text)) for name, text in self._pairs(rest)]
        for at, (name, value) in enumerate(pairs):
            self._require_name(name)
            if any(f"${{{earlier}}}" in value for earlier, _ in pairs[:at]):
                raise self.refuse("build_same_line", name=name)
        for name, value in pairs:
            self.scope.args.pop(name, None)
            self.scope.env[name] = value
        return [Variable(name, value, is_kept=True) for name, value in pairs]

    def _pairs(self, rest: str) -> Iterator[tuple[str, str]]:
        """Yield names and values of `ENV A=1 B="2 3"`, or of the old form `ENV A 1`."""
        words = split_words(rest, self.escape)
        if "=" not in words[0]:
            old = _FIRST_WORD.fullmatch(rest)
            if old is None:
                raise self.refuse("build_bad_instruction", instruction="ENV")
            yield old[1], old[2]
            return
        for word in words:
            name, equals, text = word.partition("=")
            if not equals:
                raise self.refuse("build_bad_instruction", instruction="ENV")
            yield name, text

    def _value(self, text: str) -> str:
        try:
            return expand(text, self.escape, self.scope)
        except WordError as fault:
            params = {"pointer": POINTER, "line": self.line, **fault.params}
            raise InvalidError(fault.code, **params) from fault

    def _require_name(self, name: str) -> None:
        if find_malformed_names([name]) or name.upper().startswith(RESERVED):
            raise self.refuse("build_bad_name", name=name[:63])


def parse_dockerfile(text: str) -> Dockerfile:
    """Return what a Dockerfile says; raises `InvalidError` with the line."""
    escape, instructions = read_instructions(text)
    parser, base, steps = _Parser(escape), "", list[Step]()
    for said in instructions:
        if base:
            steps += parser.steps(said)
        else:
            base = parser.base(said)
        if len(steps) > STEPS_MAX:
            raise parser.refuse("build_too_many_steps", max=STEPS_MAX)
    if not base:
        raise parser.refuse("build_from_first")
    found = Dockerfile(base, tuple(steps))
    if len(found.env) > ENV_LINES_MAX:
        raise parser.refuse("build_too_many_variables", max=ENV_LINES_MAX)
    return found


def _run_documents(rest: str, documents: tuple[HereDocument, ...]) -> Run | RunFile:
    """Return what runs here-documents: alone, one is a script; else the shell gets all as written."""
    first = documents[0]
    if read_mark(rest) is None:
        return Run("\n".join([rest, *(f"{each.content}{each.name}" for each in documents)]))
    content = _LEADING_TABS.sub("", first.content) if first.is_stripped else first.content
    return RunFile(content) if content.startswith("#!") else Run(content)
