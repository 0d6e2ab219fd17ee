"""Templates and rules in submissions: their settings are fields of the bodies that submit work."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from rest_framework.exceptions import ValidationError

from portal.common.actor import Actor
from portal.common.errors import InvalidError, NotFoundError
from portal.common.rest.serializers import FieldFault, IdField, InputSerializer, StrictIntegerField
from portal.templates.models import SubmissionTemplate
from portal.templates.selectors import template_visible_to
from portal.templates.terms import ALTERNATIVES, TemplateTerms
from portal.workloads.submission.rule_checks import find_rules, require_none
from portal.workloads.submission.template_locks import terms_to_keep

ONCE: Final = frozenset(
    {"name", "template", "held", "not_before", "priority_until", "dependencies"}
)
"""Fields that belong to one submission."""
_SECRET_NAME: Final = re.compile(
    r"(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|(?:API|ACCESS|PRIVATE|SECRET)_?KEY)$"
)
"""The end of a variable's name that says that its value is a secret."""


def read_submission(
    shape: type[InputSerializer], body: Any, *, actor: Actor, kind: str
) -> dict[str, Any]:
    """Return a validated submission, completed and checked by the template that it may name.

    It is completed by the template first, then by the defaults of its group and pool, whose rules
    come with it: admission holds it to them.

    Raises:
        ValidationError: a field is malformed, or missing in all of them.
        InvalidError: the template does not exist, or it or a rule does not allow the submission.
    """
    if not isinstance(body, Mapping):
        return shape.parse_body(body)
    row = None
    if body.get("template") is not None:
        row = _find_template(body["template"], actor, kind)
        body = TemplateTerms.of(row).complete(body)
    rules = find_rules(shape, body, actor=actor, kind=kind)
    body = rules.complete(body, ALTERNATIVES)
    asked = {**shape.parse_body(body), "rules": rules}
    require_none(rules.find_missing(body))
    return asked if row is None else {**asked, "template": _checked(row, shape, asked)}


def _checked(
    row: SubmissionTemplate, shape: type[InputSerializer], asked: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the template as work records it, once it allows what is asked."""
    settings = validate_settings(shape, {name: row.settings[name] for name in row.locked})
    terms = TemplateTerms.of(row)
    if faults := tuple(terms.find_faults(asked, settings)):
        refused = InvalidError("template_refused")
        refused.faults = faults
        raise refused
    use = {"id": str(row.pk), "name": row.name, "version": row.version}
    return use | terms_to_keep(terms)


def _find_template(given: Any, actor: Actor, kind: str) -> SubmissionTemplate:
    try:
        template_id = IdField().run_validation(given)
    except ValidationError as error:
        raise ValidationError({"template": error.detail}) from error
    try:
        return template_visible_to(actor, template_id, kind)
    except NotFoundError as error:
        raise InvalidError("unknown_template", pointer="/template") from error


def validate_settings(shape: type[InputSerializer], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a template as a submission has them after its validation.

    Raises:
        ValidationError: such work has no such field, it belongs to one submission, or its value
            could not be submitted.
    """
    fields = shape.shared_fields()
    found: dict[str, Any] = {}
    faults: dict[str, Any] = {}
    for name, value in settings.items():
        field = fields.get(name)
        if field is None:
            faults[name] = [FieldFault("unknown_field")]
        elif name in ONCE:
            faults[name] = [FieldFault("template_once")]
        else:
            try:
                found[name] = field.run_validation(value)
            except ValidationError as error:
                faults[name] = error.detail
    if secret := _find_secret_name(found.get("env", ())):
        faults["env"] = [FieldFault("template_secret", name=secret)]
    if faults:
        raise ValidationError({"settings": faults})
    return found


def _find_secret_name(names: Iterable[str]) -> str | None:
    """Return the first variable whose value should be a stored secret."""
    return next((name for name in sorted(names) if _SECRET_NAME.search(name.upper())), None)


def require_sound_terms(
    shape: type[InputSerializer],
    settings: Mapping[str, Any],
    locked: Iterable[str],
    ranges: Mapping[str, Mapping[str, int]],
) -> None:
    """Refuse locks and ranges of fields that have no value, or none that they fit.

    Raises:
        ValidationError: with the pointer of each fault.
    """
    fields = shape.shared_fields()
    faults: dict[str, Any] = {}
    if any(name not in settings for name in locked):
        faults["locked"] = [FieldFault("template_lock_without_value")]
    found = {
        name: [FieldFault(code)]
        for name, bounds in ranges.items()
        if (code := _fault_of_range(fields.get(name), settings.get(name), bounds))
    }
    if found:
        faults["ranges"] = found
    if faults:
        raise ValidationError(faults)


def _fault_of_range(field: Any, value: Any, bounds: Mapping[str, int]) -> str | None:
    if not isinstance(field, StrictIntegerField):
        return "template_range_not_number"
    if value is None:
        return "template_range_without_value"
    low, high = bounds.get("min"), bounds.get("max")
    if low is None and high is None:
        return "template_range_empty"
    if low is not None and high is not None and low > high:
        return "template_range_reversed"
    is_inside = (low is None or value >= low) and (high is None or value <= high)
    return None if is_inside else "template_outside_range"
