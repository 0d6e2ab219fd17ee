"""Plain values become messages field by field: a field that only one side has would be lost."""

from dataclasses import fields

import pytest

from portal.execution import desired, report
from wire import images, messages, mounts
from wire.values import Message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (desired.WantedContainer, messages.DesiredContainer),
        (desired.WorkSpec, messages.ContainerSpec),
        (desired.AttemptLimit, messages.TimeLimit),
        (desired.ArrayPosition, messages.ArrayTask),
        (desired.MountedDataset, mounts.DatasetMount),
        (desired.MountedVolume, mounts.VolumeMount),
        (desired.MountedInput, mounts.InputMount),
        (desired.GrantedGrace, messages.StopGrace),
        (desired.ImageSaveOrder, images.SaveImage),
        (report.SaveReport, images.ImageSaveReport),
    ],
)
def test_value_and_message_have_the_same_fields(value: type, message: type[Message]) -> None:
    assert {item.name for item in fields(value)} == set(message.model_fields)
