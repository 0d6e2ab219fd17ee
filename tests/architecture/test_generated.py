"""What is generated is what the generator would write now."""

import subprocess
from pathlib import Path

import pytest
from django.core.management import call_command

from deploy.onebox.setup import node_environment
from tests.architecture.sources import ROOT


def test_openapi_document_is_fresh(tmp_path: Path) -> None:
    fresh = tmp_path / "openapi.yaml"

    call_command("spectacular", file=str(fresh))

    committed = (ROOT / "docs/api/openapi.yaml").read_text(encoding="utf-8")
    assert fresh.read_text(encoding="utf-8") == committed, "run `make schema`"


def test_typescript_types_are_fresh() -> None:
    command = ["node", "scripts/generate-api.mjs", "--check"]

    done = subprocess.run(
        command,
        cwd=ROOT / "frontend",
        env=node_environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.django_db
def test_migrations_say_what_the_models_say() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
