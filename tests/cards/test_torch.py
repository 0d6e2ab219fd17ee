"""A PyTorch training off a real card and back; collected where PyTorch is installed."""

import sys
from collections.abc import Callable

import pytest

from nodeagent.idle.checkpoint import CudaCheckpointer, CudaLocation
from nodeagent.idle.cuda_checkpoint import LibCuda
from tests.cards.conftest import RealCard
from tests.cards.programs import a_program

pytestmark = pytest.mark.hardware

TRAINS = """
import json, sys, torch
torch.manual_seed(0)
model, batch = torch.nn.Linear(2048, 2048).cuda(), torch.randn(512, 2048).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for line in sys.stdin:
    for _ in range(int(line)):
        optimizer.zero_grad()
        loss = (model(batch) - batch).square().mean()
        loss.backward()
        optimizer.step()
    print(json.dumps({"ok": loss.item()}), flush=True)
"""


async def test_training_of_a_framework_goes_on_as_if_nothing_was(
    card: RealCard, measured: Callable[..., None]
) -> None:
    checkpointer = CudaCheckpointer(LibCuda())
    argv = (sys.executable, "-c", TRAINS)
    async with a_program(argv=argv) as undisturbed, a_program(argv=argv) as parked:
        first = [await program.tell(50) for program in (undisturbed, parked)]
        outcome = await checkpointer.checkpoint_all([parked.pid])
        assert (outcome.location, outcome.detail) == (CudaLocation.OFF_CARD, "")
        assert card.pids() == {undisturbed.pid}
        outcome = await checkpointer.restore_all([parked.pid])
        assert (outcome.location, outcome.detail) == (CudaLocation.ON_CARD, "")
        second = [await program.tell(50) for program in (undisturbed, parked)]
    measured(losses=[first, second])
    assert first[0] == first[1]
    assert second[0] == second[1] < first[0]
