"""`manage.py seed_past`: the simulated past of the demo, once; after it examples for every page, and the activity begins."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from portal.common.errors import DomainError
from portal.demo import state
from portal.demo.activity.rounds import run_round
from portal.demo.contents import write_contents
from portal.demo.seeding import seed_past
from portal.demo.services import SEED


class Command(BaseCommand):
    """Write the past of the demo's people on the cards that have joined."""

    help = "Write a simulated past, where a demo has no work yet."

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Seed, and print whether there was anything to do."""
        try:
            is_seeded = seed_past()
        except DomainError as error:
            raise CommandError(error.code) from error
        if is_seeded:
            write_contents(SEED)
            state.set_activity(is_on=True)
            run_round()
        self.stdout.write("seeded" if is_seeded else "nothing to do")
