"""Two saves of one person that end at the same moment are counted one after the other."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from portal.identity.models import User
from portal.images.models import ImageSave
from tests.builders.saving import REGISTRY, a_report, a_saved_image, a_saving_scene
from tests.portal.workloads.test_change_races import is_blocked
from tests.rest import browser, json_of
from tests.waiting import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


def test_space_that_another_save_takes_at_this_moment_is_not_given_twice(
    set_site: Callable[..., None],
) -> None:
    set_site(registry=REGISTRY, saved_image_mib_max=100, saved_images_mib_max=100)
    saving = a_saving_scene()
    owner = saving.scene.owner
    json_of(browser(owner).post(saving.path, {"name": "late"}, format="json"), 202)
    save = ImageSave.objects.get()

    def report() -> None:
        try:
            saving.beat(a_report(save.pk))
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            User.objects.select_for_update(no_key=True).get(pk=owner.pk)
            answer = thread.submit(report)
            # One that has failed is never blocked, and says why below.
            wait_until(lambda: is_blocked() or answer.done())
            a_saved_image(owner, saving.scene.group, "earlier", mib=99)
        answer.result()
    save.refresh_from_db()
    assert (save.state, save.code) == ("failed", "saved_images_full")
