"""Writes the demo organisation. Running it again adds what is missing and changes nothing else."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.hashers import make_password
from django.db import transaction

from portal.apps import services as apps
from portal.apps.models import WebApp
from portal.audit import services as audit
from portal.catalog import services as catalog
from portal.catalog.models import Image
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError
from portal.common.site_config import get_site_config
from portal.datasets import services as datasets
from portal.datasets.models import Dataset
from portal.demo import organisation, state
from portal.demo.organisation import Team
from portal.identity import services as identity
from portal.identity.models import ApiToken, User
from portal.inventory import services as inventory
from portal.inventory.models import Pool
from portal.metering import prices
from portal.quotas import budgets
from portal.quotas.budgets import BudgetAmount
from portal.quotas.models import Budget, GpuPrice, Quota
from portal.site import services as site
from portal.site.selectors import settings_for_system
from portal.tenancy import groups, members, policies
from portal.tenancy import services as tenancy
from portal.tenancy.models import Group, Membership
from scheduler.core.model.resources import Resource

SEED = Actor.system("seed")
DEMO_SETTINGS = {"minute_samples_kept_days": 7}
"""A simulated past has minutes of so many days."""
PIPELINE = "demo pipeline"
PIPELINE_TOKEN_LIFE = timedelta(days=365)
PIPELINE_SCOPES = (
    Action.ME_VIEW,
    Action.GROUP_VIEW,
    Action.POOL_VIEW,
    Action.NODE_VIEW,
    Action.IMAGE_VIEW,
    Action.QUOTA_VIEW,
    Action.WORKLOAD_VIEW,
    Action.WORKLOAD_SUBMIT,
    Action.WORKLOAD_STOP,
)


@dataclass(frozen=True, slots=True)
class Login:
    """A user name of the demo."""

    username: str
    role: str


@transaction.atomic
def seed_organisation(
    password: str, *, has_shares: bool = False, has_services: bool = False
) -> list[Login]:
    """Write everything that is missing; return all logins, of which new ones have this password.

    With `has_shares`, there is a pool for a node whose cards are shared by fractions, with `has_services` one
    for a node of services.
    """
    encoded = make_password(password)
    if not Group.objects.exists():
        site.change_settings(
            actor=SEED,
            changes={
                "time_zone": organisation.TIME_ZONE,
                "carbon_g_per_kwh": [organisation.CARBON_G_PER_KWH],
                **(DEMO_SETTINGS if get_site_config().is_demo else {}),
            },
        )
    root = _group(*organisation.ROOT, parent=None)
    _person(organisation.ADMIN, encoded, platform_role=User.PlatformRole.ADMIN)
    logins = [Login(organisation.ADMIN, User.PlatformRole.ADMIN.value)]
    for team in organisation.TEAMS:
        logins.extend(_seed_team(team, root, encoded))
    _seed_money()
    _seed_pools(_pools(has_shares=has_shares, has_services=has_services))
    _seed_catalogue()
    if has_shares:
        _seed_prices(organisation.SHARES_HOURLY_MICROS)
    if get_site_config().is_demo:
        _seed_images(_simulated_images(has_services=has_services))
    example = organisation.EXAMPLE_DATASET
    if not Dataset.objects.filter(name=example["name"]).exists():
        path = organisation.EXAMPLE_PATH
        datasets.add_dataset(actor=SEED, columns=example, path=path, group_ids=[])
    return logins


@transaction.atomic
def switch_activity(*, actor: Actor, is_on: bool) -> None:
    """Switch the simulated activity on or off.

    Raises:
        ConflictError: this installation is no demo.
    """
    policies.require(actor, Action.SITE_MANAGE, None)
    if is_on and not get_site_config().is_demo:
        raise ConflictError("not_a_demo")
    if state.get_state_for_system().activity is not is_on:
        state.set_activity(is_on=is_on)
        action = "demo.activity_on" if is_on else "demo.activity_off"
        audit.record_event(actor=actor, action=action, object_type="demo")


@transaction.atomic
def reset_passwords(password: str) -> None:
    """Set the password of every person of the demo, when the file with the old one is lost."""
    encoded = make_password(password)
    people = [organisation.ADMIN, *(name for team in organisation.TEAMS for name in team.people)]
    User.objects.filter(username__in=people).update(password=encoded)


def renew_robot_token() -> str:
    """Return a new token of the first team's robot; earlier ones are revoked."""
    robot = User.objects.get(username=_robot_name(organisation.TEAMS[0]))
    for token in ApiToken.objects.filter(user=robot, name=PIPELINE, revoked_at=None):
        identity.revoke_token(actor=SEED, token_id=token.pk)
    issued = identity.issue_token(
        actor=SEED,
        user=robot,
        name=PIPELINE,
        scopes=PIPELINE_SCOPES,
        expires_in=PIPELINE_TOKEN_LIFE,
    )
    return issued.secret


def _seed_money() -> None:
    """Set what GPUs cost, and give the last team a budget of money beside its quotas."""
    _seed_prices(organisation.HOURLY_MICROS)
    group = Group.objects.get(name=organisation.TEAMS[-1].name)
    if not Budget.objects.filter(group=group).exists():
        budgets.set_budget(
            actor=SEED,
            group_id=group.pk,
            pool_id=None,
            period=Budget.Period.MONTH.value,
            amount=BudgetAmount(None, organisation.BUDGET_MICROS),
        )


def _seed_prices(hourly_micros: Mapping[str, int]) -> None:
    """Set the prices of models that have none, from the first of this month on."""
    today = settings_for_system().days.day_of(now())
    for model, price in hourly_micros.items():
        if not GpuPrice.objects.filter(model=model).exists():
            prices.set_price(
                actor=SEED, model=model, valid_from=today.replace(day=1), hourly_micros=price
            )


def _seed_pools(pools: Iterable[Pool]) -> None:
    known = set(Pool.objects.values_list("name", flat=True))
    for pool in pools:
        if pool.name not in known:
            inventory.create_pool(actor=SEED, pool=pool)


def _pools(*, has_shares: bool, has_services: bool) -> list[Pool]:
    """Return the pools, those first that lists have last: they begin with the newest."""
    services = [organisation.build_services_pool()] if has_services else []
    shares = [organisation.build_shares_pool()] if has_shares else []
    return [*services, *shares, *organisation.build_pools()]


def _simulated_images(*, has_services: bool) -> list[Image]:
    notebook = organisation.build_simulated_image()
    return [notebook, organisation.build_model_image()] if has_services else [notebook]


def _seed_images(images: Iterable[Image]) -> None:
    known = set(Image.objects.values_list("name", flat=True))
    for image in images:
        if image.name not in known:
            catalog.add_image(actor=SEED, image=image)


def _seed_catalogue() -> None:
    _seed_images(organisation.build_images())
    known_apps = set(WebApp.objects.values_list("name", flat=True))
    for app in organisation.build_apps(Image.objects.get(name=organisation.APP_IMAGE)):
        if app.name not in known_apps:
            apps.add_app(actor=SEED, app=app)


def _seed_team(team: Team, root: Group, encoded: str) -> Iterator[Login]:
    group = _group(team.name, team.title_en, team.title_zh, parent=root)
    for number, username in enumerate(team.people):
        role = Membership.Role.DEVELOPER if number else Membership.Role.ADMIN
        user = _person(username, encoded)
        if not Membership.objects.filter(user=user, group=group).exists():
            members.add_member(
                actor=SEED, group_id=group.pk, username=user.username, role=role.value
            )
        yield Login(username, role.value)
    if not User.objects.filter(username=_robot_name(team)).exists():
        tenancy.create_robot(actor=SEED, group_id=group.pk, name=_robot_name(team))
    borrowed = organisation.BORROWING_GPUS * 1000 if get_site_config().is_demo else 0
    _quota(group, Resource.GPU, organisation.GPU_MILLI, max(borrowed, organisation.GPU_MILLI))
    _quota(group, Resource.CPU, organisation.CPU_MILLI, organisation.CPU_MILLI)


def _group(name: str, title_en: str, title_zh: str, parent: Group | None) -> Group:
    found = Group.objects.filter(name=name).first()
    return found or groups.create_group(
        actor=SEED,
        name=name,
        title_en=title_en,
        title_zh=title_zh,
        parent_id=parent.pk if parent else None,
    )


def _person(username: str, encoded: str, platform_role: str = "") -> User:
    found = User.objects.filter(username=username).first()
    return found or identity.create_person(
        actor=SEED,
        username=username,
        display_name=_display_name(username),
        encoded_password=encoded,
        platform_role=platform_role,
    )


def _quota(group: Group, resource: Resource, deserved: int, ceiling: int) -> None:
    Quota.objects.get_or_create(
        group=group,
        pool=None,
        resource=resource.value,
        defaults={"deserved": deserved, "ceiling": ceiling},
    )


def _display_name(username: str) -> str:
    """Return `Li Wei` for `li.wei`."""
    return username.replace(".", " ").title()


def _robot_name(team: Team) -> str:
    return f"ci-{team.name}"
