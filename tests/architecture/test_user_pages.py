"""`docs/users` is one walk in two languages: twins, pictures, links, and the words of the pages."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.architecture.sources import ROOT
from tests.user_pages import PAGES, STEMS, blocks_of, requests_named_in, requests_of

PICTURES: Final = ROOT / "docs" / "img" / "walk"
PICTURE_BYTES_MAX: Final = 120_000
PICTURES_BYTES_MAX: Final = 3_000_000
CHINESE: Final = ".zh-CN.md"
FENCE: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING: Final = re.compile(r"^(#+) (.+)$", re.MULTILINE)
PICTURE: Final = re.compile(r"!\[[^\]]+\]\(([^)]+)\)")
LINK: Final = re.compile(r"(?<!!)\[[^\]]+\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)")
NEXT: Final = re.compile(r"^(?:Next: |下一步：)\[[^\]]+\]\(([^)]+)\)$", re.MULTILINE)
SAID: Final = re.compile(r"(?<!\*)\*([^*\s][^*]*)\*(?!\*)")
OTHERS: Final = {"permission denied", "run", "sftp", "tensorboard"}
"""What other programs say, and names."""

both = pytest.mark.parametrize("ending", [".md", CHINESE], ids=["en", "zh-CN"])
every = pytest.mark.parametrize("stem", STEMS)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _prose(path: Path) -> str:
    return FENCE.sub("", _read(path))


def _pages(ending: str) -> list[Path]:
    return [PAGES / f"{stem}{ending}" for stem in STEMS]


def _anchors(path: Path) -> set[str]:
    """Return what a heading is reached by, as GitHub makes it."""
    titles = (title for _, title in HEADING.findall(_prose(path)))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_has_a_twin() -> None:
    english = {path.stem for path in PAGES.glob("*.md") if not path.name.endswith(CHINESE)}

    assert english == set(STEMS)


@every
def test_twins_have_the_same_parts(stem: str) -> None:
    pages = [PAGES / f"{stem}{ending}" for ending in (".md", CHINESE)]
    english, chinese = (_read(page) for page in pages)

    blocks = [[(block.info, block.commands) for block in blocks_of(page)] for page in pages]
    assert blocks[0] == blocks[1]
    levels = [[level for level, _ in HEADING.findall(_prose(page))] for page in pages]
    assert levels[0] == levels[1]
    rows = [len(re.findall(r"^(?:\||\* |\d+\. )", _prose(page), re.MULTILINE)) for page in pages]
    assert rows[0] == rows[1]
    theirs = [shown.replace(".en.", ".zh-CN.") for shown in PICTURE.findall(english)]
    assert theirs == PICTURE.findall(chinese)
    assert f"[中文]({stem}{CHINESE})" in english
    assert f"[English]({stem}.md)" in chinese


@both
def test_requests_are_those_of_the_document(ending: str) -> None:
    text = _read(ROOT / "docs/api/openapi.yaml")
    paths = yaml.load(text, Loader=yaml.CSafeLoader)["paths"]
    known = {
        (method.upper(), re.sub(r"\{\w+\}", "{}", path))
        for path, methods in paths.items()
        for method in methods
    }
    wrong = [
        f"{page.name}: {method} {address}"
        for page in _pages(ending)
        for method, address in _requests(page)
        if (method, re.sub(r"\$[A-Z]+", "{}", address.partition("?")[0])) not in known
    ]
    assert wrong == []


def _requests(page: Path) -> Iterator[tuple[str, str]]:
    """Yield method and address of what a page lists and names."""
    yield from requests_named_in(page)
    for block in blocks_of(page):
        if block.info == "http":
            yield from ((method, address) for method, address, _ in requests_of(block))


@both
def test_links_lead_to_pages_of_the_same_language(ending: str) -> None:
    wrong = []
    for page in _pages(ending):
        other = f"{page.name.removesuffix(ending)}{CHINESE if ending == '.md' else '.md'}"
        for place, anchor in LINK.findall(_prose(page)):
            target = (page.parent / place).resolve() if place else page
            is_ours = target.parent == PAGES and target.name != other
            if not target.exists() or (
                is_ours and target.name.endswith(CHINESE) != (ending == CHINESE)
            ):
                wrong.append(f"{page.name}: {place}")
            elif anchor and anchor not in _anchors(target):
                wrong.append(f"{page.name}: {place}#{anchor}")
    assert wrong == []


@both
def test_the_walk_goes_from_page_to_page_as_the_index_lists_them(ending: str) -> None:
    index = _read(PAGES / f"README{ending}")
    walk = re.findall(r"^\d+\. \[[^\]]+\]\(([^)]+)\)", index, re.MULTILINE)
    assert {place for place, _ in LINK.findall(index)} >= {
        page.name for page in _pages(ending) if not page.name.startswith("README")
    }

    went = [walk[0]]
    while found := NEXT.findall(_read(PAGES / went[-1])):
        went.append(found[0])

    assert went == walk


def test_pictures_are_shown_and_small() -> None:
    shown = {
        (page.parent / place).resolve()
        for page in PAGES.glob("*.md")
        for place in PICTURE.findall(_read(page))
    }
    sizes = {path: path.stat().st_size for path in PICTURES.iterdir()}

    assert shown == set(sizes)
    assert [path.name for path, size in sizes.items() if size > PICTURE_BYTES_MAX] == []
    assert sum(sizes.values()) <= PICTURES_BYTES_MAX


@pytest.mark.parametrize(("ending", "language"), [(".md", "en"), (CHINESE, "zh-CN")])
def test_pages_are_quoted_as_they_read(ending: str, language: str) -> None:
    """What stands in italics is a text of the pages: a renamed button is renamed here as well."""
    texts = set(_texts(language))
    patterns = [_pattern(text) for text in texts if "{{" in text]
    wrong = [
        f"{page.name}: {said}"
        for page in _pages(ending)
        for said in _quoted(page)
        if said not in texts and not any(each.fullmatch(said) for each in patterns)
    ]
    assert wrong == []


@pytest.mark.parametrize(("ending", "language"), [(".md", "en"), (CHINESE, "zh-CN")])
def test_nobody_is_sent_to_a_page_that_users_do_not_have(ending: str, language: str) -> None:
    """Pages of administration are for staff; some are for heads of groups, too, which the sentence says."""
    titles = json.loads(_read(ROOT / f"frontend/src/app/locales/{language}.json"))["places"]
    places = _read(ROOT / "frontend/src/app/places.ts").partition("ADMINISTRATION = ")[2]
    places = places.partition("] as const")[0]
    of_heads = {
        titles[key]: "isGroupAdmin" in who or who.strip() == "canReadAudit"
        for key, who in re.findall(r'key: "(\w+)", isFor: (.*?) },$', places, re.MULTILINE)
    }
    assert {True, False} == set(of_heads.values())
    wrong = [
        f"{page.name}: {sentence}"
        for page in _pages(ending)
        for sentence in re.split(r"(?<=[.。！?？])\s*|\n\n", _prose(page))
        for title, is_of_heads in of_heads.items()
        if re.search(rf"pages? \*{title}\*|\*{title}\* page|\*{title}\*页", sentence)
        and not (is_of_heads and re.search("group admin|组管理员", sentence))
    ]
    assert wrong == []


def _quoted(page: Path) -> Iterator[str]:
    """Yield what is in italics, without code, bold words and the stars of lists."""
    prose = re.sub(r"`[^`]*`", "", _prose(page))
    prose = re.sub(r"^\* ", "", re.sub(r"\*\*[^*]+\*\*", "", prose), flags=re.MULTILINE)
    for said in SAID.findall(prose):
        text = _plain(" ".join(said.split()))
        if text not in OTHERS:
            yield text


def _texts(language: str) -> Iterator[str]:
    """Yield every text, whole and up to its colon."""
    for folder in ("frontend/src", "portal"):
        for path in (ROOT / folder).rglob(f"locales/{language}.json"):
            for text in _leaves(json.loads(_read(path))):
                yield from (_plain(text), _plain(re.split("[:：]", text)[0]))


def _leaves(texts: Any) -> Iterator[str]:
    if isinstance(texts, str):
        yield texts
    elif isinstance(texts, dict):
        for each in texts.values():
            yield from _leaves(each)


def _plain(text: str) -> str:
    return text.strip(" []…").casefold()


def _pattern(text: str) -> re.Pattern[str]:
    """Match a text with any parameters, unless hardly anything is left of it."""
    parts = re.split(r"\{\{.*?\}\}", text)
    return re.compile(".+".join(map(re.escape, parts)) if len("".join(parts)) > 2 else r"(?!)")
