"""The configuration of a saved image is that of its base: nothing of the run is in it."""

import json

import pytest

from nodeagent.core.image_saves import ImageSaveError
from nodeagent.docker.containers.container_spec import LABEL_ENDPOINT, LABEL_NODE
from nodeagent.docker.saving.image_config import LABEL_SAVE, restored_config

BASE = {
    "Env": ["PATH=/opt/lab/bin:/usr/bin", "LANG=C", "LD_PRELOAD=/of/the/image.so"],
    "Cmd": ["jupyter-lab"],
    "Entrypoint": ["/init"],
    "Labels": {"maintainer": "ml"},
    "User": "",
    "WorkingDir": "/srv",
}
RUN = {
    "Env": [
        "PATH=/opt/lab/bin:/usr/bin",
        "LANG=C.UTF-8",
        "LD_PRELOAD",
        "JUPYTER_TOKEN=canary-token",
        "MY_PASSWORD=canary-password",
        "BERTH_WORKLOAD=canary-id",
    ],
    "Cmd": ["jupyter-lab", "--ServerApp.base_url=/canary/"],
    "Entrypoint": ["/bin/sh", "-c", "canary"],
    "Labels": {"maintainer": "ml", LABEL_NODE: "canary-node", LABEL_ENDPOINT: "{canary}"},
    "User": "1000:1000",
    "WorkingDir": "/workspace",
}


def test_variables_are_those_of_the_base_and_the_others_have_no_value() -> None:
    found = restored_config(RUN, BASE, "save-1")["Env"]
    assert found == [*BASE["Env"], "JUPYTER_TOKEN", "MY_PASSWORD", "BERTH_WORKLOAD"]


def test_nothing_of_the_run_is_left() -> None:
    found = restored_config(RUN, BASE, "save-1")
    assert "canary" not in json.dumps(found)
    assert (found["User"], found["WorkingDir"]) == ("0", "/srv")
    assert (found["Entrypoint"], found["Cmd"]) == (["/init"], ["jupyter-lab"])


def test_labels_of_the_agent_are_blank_so_that_no_container_of_the_image_is_taken_for_its_own() -> (
    None
):
    labels = restored_config(RUN, BASE, "save-1")["Labels"]
    assert labels == {
        "maintainer": "ml",
        LABEL_NODE: "",
        LABEL_ENDPOINT: "",
        LABEL_SAVE: "save-1",
    }


def test_a_base_without_a_command_gets_a_shell_instead_of_the_notebooks() -> None:
    found = restored_config(RUN, {"Env": None, "Cmd": None, "Entrypoint": None}, "save-1")
    assert (found["Entrypoint"], found["Cmd"]) == ([], ["/bin/sh"])
    assert found["Env"] == [line.partition("=")[0] for line in RUN["Env"]]


def test_a_build_adds_variables_that_may_name_those_before_them() -> None:
    added = (
        "PATH=/made/bin:${PATH}",
        "HERE=${PATH}",
        "PRICE=5$$",
        "NONE=[${MY_PASSWORD}]",
        "LANG=",
    )
    found = restored_config(RUN, BASE, "save-1", added)["Env"]
    path = "/made/bin:/opt/lab/bin:/usr/bin"
    assert found == [
        f"PATH={path}",
        "LANG=",
        "LD_PRELOAD=/of/the/image.so",
        f"HERE={path}",
        "PRICE=5$",
        "NONE=[]",
        *("JUPYTER_TOKEN", "MY_PASSWORD", "BERTH_WORKLOAD"),
    ]


def test_variables_that_double_each_other_are_bounded() -> None:
    added = ["A0=xxxxxxxx", *(f"A{n + 1}=${{A{n}}}${{A{n}}}" for n in range(60))]
    with pytest.raises(ImageSaveError, match="variable_too_large"):
        restored_config(RUN, BASE, "save-1", added)
