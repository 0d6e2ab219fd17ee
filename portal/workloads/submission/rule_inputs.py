"""What rules may say: their defaults and choices are values of the bodies that submit work."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rest_framework.exceptions import ValidationError

from portal.common.rest.serializers import FieldFault, InputSerializer
from portal.submission_rules.terms import RuleTerms
from portal.workloads.submission.rule_checks import NUMBERS, REQUIRABLE, RULE_FIELDS, WORDS

Faults = Iterator[tuple[str, list[Any]]]


def parse_terms(shape: type[InputSerializer], given: Mapping[str, Any]) -> RuleTerms:
    """Return the terms of a validated body, once submissions could keep each of them.

    Raises:
        ValidationError: with the pointer of each fault.
    """
    terms = RuleTerms(
        defaults=given["defaults"],
        locked=sorted(set(given["locked"])),
        required=sorted(set(given["required"])),
        ranges=given["ranges"],
        choices={name: list(dict.fromkeys(words)) for name, words in given["choices"].items()},
    )
    found: dict[str, Any] = {
        "defaults": dict(_faults_of_defaults(shape, terms)),
        "locked": [
            FieldFault("rule_lock_without_default")
            for name in terms.locked
            if name not in terms.defaults
        ][:1],
        "required": [
            FieldFault("rule_required_field")
            for name in terms.required
            if name not in REQUIRABLE or name not in shape.shared_fields()
        ][:1],
        "ranges": dict(_faults_of_ranges(shape, terms.ranges)),
        "choices": dict(_faults_of_choices(shape, terms.choices)),
    }
    if faults := {name: item for name, item in found.items() if item}:
        raise ValidationError(faults)
    return terms


def fields_of(shape: type[InputSerializer], kept: Iterable[str]) -> list[str]:
    """Return those of these fields that such work has, in the order of its body."""
    wanted = frozenset(kept)
    return [name for name in shape.shared_fields() if name in wanted]


def _faults_of_defaults(shape: type[InputSerializer], terms: RuleTerms) -> Faults:
    for name, value in terms.defaults.items():
        if name not in fields_of(shape, RULE_FIELDS):
            yield name, [FieldFault("rule_field")]
        elif fault := _fault_of_value(shape, name, value):
            yield name, fault
        elif _is_sound(terms, name) and terms.find_fault(name, value):
            yield name, [FieldFault("rule_default_refused")]


def _faults_of_ranges(
    shape: type[InputSerializer], ranges: Mapping[str, Mapping[str, int]]
) -> Faults:
    for name, bounds in ranges.items():
        low, high = bounds.get("min"), bounds.get("max")
        if name not in fields_of(shape, NUMBERS):
            yield name, [FieldFault("rule_not_number")]
        elif low is None and high is None:
            yield name, [FieldFault("rule_range_empty")]
        elif low is not None and high is not None and low > high:
            yield name, [FieldFault("rule_range_reversed")]


def _faults_of_choices(
    shape: type[InputSerializer], choices: Mapping[str, list[str]] | Mapping[str, Any]
) -> Faults:
    for name, words in choices.items():
        if name not in fields_of(shape, WORDS):
            yield name, [FieldFault("rule_not_word")]
        elif not words:
            yield name, [FieldFault("rule_choices_empty")]
        else:
            found = (_fault_of_value(shape, name, word) for word in words)
            if fault := next(filter(None, found), None):
                yield name, fault


def _fault_of_value(shape: type[InputSerializer], name: str, value: Any) -> list[Any] | None:
    try:
        shape.shared_fields()[name].run_validation(value)
    except ValidationError as error:
        return error.detail if isinstance(error.detail, list) else [error.detail]
    return None


def _is_sound(terms: RuleTerms, name: str) -> bool:
    """Return whether the range of a field is one of a number; its own fault is reported elsewhere."""
    return name in NUMBERS or name not in terms.ranges
