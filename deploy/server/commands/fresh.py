"""The command for a machine on which nothing is installed: `init`."""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from deploy.server import answers
from deploy.server.answers import QUESTIONS, Question
from deploy.server.faults import ServerFault, tell
from deploy.server.words import say


def run(options: argparse.Namespace) -> int:
    """Write `.env` and the secrets, or say all that stands against it; return the exit status."""
    language: str = options.language

    def ask(question: Question) -> str:
        words = say(language, f"ask_{question.name}", {"default": question.default})
        return input(f"{words} ").strip() or question.default

    folder: Path = options.folder.resolve()
    if found := list(answers.find_leftovers(folder)):
        return tell(found, language)
    asks = sys.stdin.isatty() and not options.yes
    taken = answers.take_answers(_given(options), ask if asks else None)
    if found := list(_faults(taken)):
        return tell(found, language)
    answers.write_answers(folder, answers.complete(taken))
    print(say(language, "answers_written", {"path": folder / ".env"}))
    return 0


def _given(options: argparse.Namespace) -> Mapping[str, str]:
    """Return what options say, else variables of the same names."""
    chosen = {question.name: getattr(options, question.name) for question in QUESTIONS}
    set_before = {question.name: os.environ.get(question.name) for question in QUESTIONS}
    return {
        name: value
        for name in chosen
        if (value := set_before[name] if chosen[name] is None else chosen[name]) is not None
    }


def _faults(taken: Mapping[str, str]) -> Iterator[ServerFault]:
    if wrong := list(answers.find_wrong_answers(taken)):
        yield from wrong
        return
    ports = answers.published_ports(answers.complete(taken))
    yield from answers.find_taken_ports(taken["BERTH_BIND"], ports)
