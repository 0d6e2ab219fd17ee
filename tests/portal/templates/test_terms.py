"""Locked fields and ranges hold for every submission, whatever it gives; the rest are defaults."""

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from portal.templates.terms import ALTERNATIVES, TemplateTerms

NAMES = ["image", "cpu_milli", "memory_mib", "gpus", "slices", "command", "script", "home"]
VALUES = st.integers(0, 5)
BODIES = st.dictionaries(st.sampled_from(NAMES), VALUES)
GIVEN = st.dictionaries(st.sampled_from(NAMES), st.none() | VALUES)


@st.composite
def terms(draw: st.DrawFn) -> TemplateTerms:
    settings = draw(BODIES)
    locked = draw(st.lists(st.sampled_from(sorted(settings)), unique=True)) if settings else []
    bounded = draw(st.lists(st.sampled_from(sorted(settings)), unique=True)) if settings else []
    bound = st.fixed_dictionaries({}, optional={"min": VALUES, "max": VALUES})
    return TemplateTerms(settings, locked, {name: draw(bound) for name in bounded})


def is_inside(value: Any, bounds: Mapping[str, int]) -> bool:
    if not bounds:
        return True
    if value is None:
        return False
    return bool(bounds.get("min", value) <= value <= bounds.get("max", value))


@given(terms(), GIVEN)
def test_what_is_accepted_has_every_locked_value_and_keeps_every_range(
    terms: TemplateTerms, given: Mapping[str, Any]
) -> None:
    body = terms.complete(given)
    faults = {fault.pointer for fault in terms.find_faults(body, terms.settings)}

    broken = {f"/{name}" for name in terms.locked if body.get(name) != terms.settings[name]}
    bounds = terms.ranges or {}
    outside = {f"/{name}" for name in bounds if not is_inside(body.get(name), bounds[name])}
    assert faults == broken | outside


@given(terms(), GIVEN)
def test_what_is_given_wins_and_what_is_left_out_has_its_default(
    terms: TemplateTerms, given: Mapping[str, Any]
) -> None:
    body = terms.complete(given)
    for name in NAMES:
        if given.get(name) is not None:
            assert body[name] == given[name]
        elif name in terms.locked:
            assert body[name] == given.get(name, terms.settings[name])
        elif name in given:
            assert body.get(name) is None
        elif name in body:
            assert body[name] == terms.settings[name]


@given(terms(), GIVEN)
def test_a_default_gives_way_to_another_field_that_stands_for_it(
    terms: TemplateTerms, given: Mapping[str, Any]
) -> None:
    body = terms.complete(given)
    for fields in ALTERNATIVES:
        chosen = {name for name in fields if given.get(name) is not None}
        if chosen:
            kept = {name for name in fields if body.get(name) is not None}
            assert kept <= chosen | set(terms.locked)


@given(BODIES, st.sampled_from(NAMES), VALUES)
def test_a_locked_field_cannot_be_given_otherwise(
    settings: dict[str, int], name: str, other: int
) -> None:
    terms = TemplateTerms({**settings, name: 9}, [name], {})
    for given_value in (other, None):
        body = terms.complete({name: given_value})
        assert [fault.code for fault in terms.find_faults(body, terms.settings)] == [
            "template_locked"
        ]
