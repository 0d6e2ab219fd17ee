"""Words of a Dockerfile: quotes, escapes and variables, as Docker's own lexer reads them; pure.

The rules are those of BuildKit (docs/adr/0058). Variables that only the image knows stay
references, because it is not available here.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from portal.common.errors import InvalidError

DEPTH_MAX: Final = 20
"""How deep `${A:-${B:-…}}` may be."""
_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_REFERENCE: Final = re.compile(r"\$\{\w+\}")
_PARAMETER: Final = re.compile(r"\d+|[@*#?$!-]|\w+")
"""A name, or a parameter of shells, which is never set in a Dockerfile."""
_SIGNS: Final = frozenset({"-", "+", "?", ":-", ":+", ":?"})
_HERE_DOCUMENT: Final = re.compile(r"\d*<<(-?)\s*([^<]+)", re.ASCII)
_MARK: Final = re.compile(r"<<[\t\r ]+")
_PART: Final = re.compile(r"""'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.?)|([^'"\\]+)""", re.DOTALL)
_ESCAPED: Final = re.compile(r'\\(["$\\])')


class WordError(InvalidError):
    """A word that is not written correctly; its line is known to the caller that reads the file."""


def to_template(value: str) -> str:
    """Return a text as a value: with `$$` for a dollar sign, see `expand`."""
    return value.replace("$", "$$")


def split_words(text: str, escape: str) -> list[str]:
    """Return the words between blanks outside of quotes, their quotes and escapes kept."""
    words, word, quote, at = [], "", "", 0
    while at < len(text):
        char = text[at]
        if char == escape and quote != "'":
            if at + 1 < len(text):
                word += text[at : at + 2]
            at += 2
            continue
        if char.isspace() and not quote:
            words.append(word)
            word = ""
        else:
            quote = _next_quote(quote, char)
            word += char
        at += 1
    return [each for each in [*words, word] if each]


def find_here_documents(line: str) -> list[tuple[str, bool]]:
    """Return name of each here-document that a line opens, and whether its tabs are stripped.

    A line whose quotes are not closed opens none: its shell gets it as it is.
    """
    words = split_words(_MARK.sub("<<", line), "\\")
    if any(_unquoted(word) is None for word in words):
        return []
    return [found for found in map(read_mark, words) if found]


def read_mark(text: str) -> tuple[str, bool] | None:
    """Return name of the here-document that a text opens, and whether its tabs are stripped.

    None unless it does nothing else.
    """
    found = _HERE_DOCUMENT.fullmatch(text)
    if found is None or len(split_words(found[2], "\\")) != 1:
        return None
    name = _unquoted(found[2].strip())
    return (name, bool(found[1])) if name else None


def expand(text: str, escape: str, scope: "Scope") -> str:
    """Return a word without its quotes, its variables resolved as far as possible.

    The result has `${NAME}` for a variable of the image and `$$` for a dollar sign; raises `WordError`.
    """
    return _Lexer(text, escape, scope).read("", 0)


@dataclass(slots=True)
class Scope:
    """The variables that a Dockerfile has set so far, with their values as `expand` returns them."""

    size_max: int
    """Characters of a value."""
    args: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    has_image: bool = True
    """Whether there are variables that only an image knows: not before `FROM`."""

    def resolve(self, name: str) -> str:
        """Return what stands for `$NAME`: an argument's value, or a reference."""
        if name in self.args:
            return self.args[name]
        return f"${{{name}}}" if self.has_image and _NAME.fullmatch(name) else ""

    def choose(self, name: str, sign: str, word: str) -> str:
        """Return what stands for `${NAME:-word}` and its like; raises `WordError`."""
        value = self.args.get(name, self.env.get(name))
        if value is None and self.has_image and _NAME.fullmatch(name):
            if sign[-1] == "-" and not word:
                return self.resolve(name)
            raise WordError("build_unknown_variable", name=name[:63])
        is_there = value is not None
        if sign[0] == ":" and value is not None:
            is_there = bool(_REFERENCE.sub("", value))
            if value and not is_there:
                raise WordError("build_unknown_variable", name=name[:63])
        if sign[-1] == "+":
            return word if is_there else ""
        if not is_there and sign[-1] == "?":
            raise WordError("build_unset_variable", name=name[:63])
        return self.resolve(name) if is_there else word


@dataclass(slots=True)
class _Lexer:
    """A word that is being read, and how far."""

    text: str
    escape: str
    scope: Scope
    at: int = 0

    def read(self, stop: str, depth: int) -> str:
        """Return what stands before `stop`, or before the end."""
        found = ""
        while self.at < len(self.text):
            if self._peek() == stop:
                self.at += 1
                return found
            found += self._next(depth)
            if len(found) > self.scope.size_max:
                raise WordError("build_value_too_long", max=self.scope.size_max)
        if stop:
            raise WordError("build_bad_reference")
        return found

    def _next(self, depth: int) -> str:
        char = self._take()
        match char:
            case "'":
                return self._single_quoted()
            case '"':
                return self._double_quoted(depth)
            case "$":
                return self._variable(depth)
            case _ if char == self.escape:
                return to_template(self._take())
            case _:
                return char

    def _single_quoted(self) -> str:
        end = self.text.find("'", self.at)
        if end < 0:
            raise WordError("build_open_quote")
        begun, self.at = self.at, end + 1
        return to_template(self.text[begun:end])

    def _double_quoted(self, depth: int) -> str:
        """Return what a double quote holds; only a quote, a dollar sign and itself can be escaped."""
        found = ""
        while (char := self._take()) != '"':
            if not char:
                raise WordError("build_open_quote")
            if len(found) > self.scope.size_max:
                raise WordError("build_value_too_long", max=self.scope.size_max)
            if char == "$":
                found += self._variable(depth)
            elif char == self.escape and self._peek() in ('"', "$", self.escape):
                found += to_template(self._take())
            else:
                found += char
        return found

    def _variable(self, depth: int) -> str:
        if self._peek() != "{":
            name = self._name()
            return self.scope.resolve(name) if name else "$$"
        self.at += 1
        name, sign = self._name(), self._take()
        if not name or depth == DEPTH_MAX:
            raise WordError("build_bad_reference")
        if sign == "}":
            return self.scope.resolve(name)
        sign += self._take() if sign == ":" else ""
        if sign not in _SIGNS:
            raise WordError("build_bad_reference")
        return self.scope.choose(name, sign, self.read("}", depth + 1))

    def _name(self) -> str:
        """Take a name, a number, or one of the special parameters of shells."""
        found = _PARAMETER.match(self.text, self.at)
        self.at += len(found[0]) if found else 0
        return found[0] if found else ""

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _take(self) -> str:
        char = self._peek()
        self.at += 1
        return char


def _next_quote(quote: str, char: str) -> str:
    """Return the quote that is open after a character."""
    if quote:
        return "" if char == quote else quote
    return char if char in ("'", '"') else ""


def _unquoted(word: str) -> str | None:
    """Return a word without quotes and escapes, its dollar signs kept; none if a quote is open."""
    text, at = "", 0
    while at < len(word):
        part = _PART.match(word, at)
        if part is None:
            return None
        single, double, escaped, plain = part.groups(default="")
        text += single + _ESCAPED.sub(r"\1", double) + escaped + plain
        at = part.end()
    return text
