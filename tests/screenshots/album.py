"""The page on which the pictures are leafed through: one file, no server."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Final

_PAGE: Final = Template("""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Berth: every page</title>
<style>
  body { font: 14px/1.5 system-ui, sans-serif; margin: 1rem; background: #f4f5f7; color: #1c2430; }
  header { position: sticky; top: 0; padding: .5rem 0; background: inherit; }
  section { margin: 1.5rem 0; } h2 { font-size: 1rem; margin: 0 0 .5rem; }
  div { display: flex; gap: .75rem; overflow-x: auto; align-items: flex-start; }
  figure { margin: 0; flex: none; } figcaption { color: #5a6575; }
  img { height: 320px; border: 1px solid #cfd5de; background: #fff; }
</style>
<header><label>Only what has this in its name:
  <input id="only" placeholder="zh-CN-dark-390, member, /jobs"></label></header>
$sections
<script>
  const only = document.getElementById("only");
  only.addEventListener("input", () => {
    for (const figure of document.querySelectorAll("figure"))
      figure.hidden = !figure.dataset.name.includes(only.value);
  });
</script>
""")


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: who saw which page, and how."""

    role: str
    variant: str
    place: str
    path: Path
    """Relative to the folder of the index."""


def write_index(path: Path, pictures: Sequence[Picture]) -> None:
    """Write the index: a row for each page and role, a picture for each variant."""
    rows = sorted(pictures, key=lambda each: (each.path.stem, each.role, each.variant))
    sections = [
        _section(f"{stem} · {role}", list(found))
        for (stem, role), found in groupby(rows, key=lambda each: (each.path.stem, each.role))
    ]
    path.write_text(_PAGE.substitute(sections="\n".join(sections)), encoding="utf-8")


def _section(title: str, pictures: Sequence[Picture]) -> str:
    figures = "".join(_figure(each) for each in pictures)
    return f"<section><h2>{escape(title)}</h2><div>{figures}</div></section>"


def _figure(picture: Picture) -> str:
    name = escape(f"{picture.role} {picture.variant} {picture.place}", quote=True)
    source = escape(picture.path.as_posix(), quote=True)
    return (
        f'<figure data-name="{name}"><a href="{source}"><img loading="lazy" src="{source}" alt="{name}"></a>'
        f"<figcaption>{escape(picture.variant)}</figcaption></figure>"
    )
