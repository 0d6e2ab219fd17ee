"""How much of what is free the expected demand could use: the yardstick of packing.

After Weng et al., "Beware of Fragmentation" (USENIX ATC 2023): free compute of a node is a
fragment for a shape if the shape does not fit there, or the card has less than the shape needs.
Here the complement is counted, which for one card depends only on the free CPU of the node, the
card's kind and its free milli, and for work on several cards on the number of whole ones. So two
look-up tables, made once per version of the mix, replace the sum over all shapes:

    worth(node) = sum over cards of one[kind, cpu, free] + many[kind, cpu, whole free cards]
"""

from collections.abc import Sequence

import numpy as np

from scheduler.core.placement.fleet import Fleet, Ints
from scheduler.core.placement.mix import Typical
from scheduler.core.placement.shape import WHOLE


class Worth:
    """The two tables for one fleet and one version of the mix."""

    def __init__(self, fleet: Fleet, typical: Sequence[Typical]) -> None:
        self._steps: Ints = np.unique([0, *(each.shape.cpu for each in typical)]).astype(np.int64)
        width = fleet.free.shape[1]
        self._one: Ints = np.zeros((len(fleet.kinds), len(self._steps), WHOLE + 1), np.int64)
        self._many: Ints = np.zeros((len(fleet.kinds), len(self._steps), width + 1), np.int64)
        for each in typical:
            self._count(fleet, each)
        self._one *= np.arange(WHOLE + 1)
        self._many *= np.arange(width + 1) * WHOLE

    def _count(self, fleet: Fleet, each: Typical) -> None:
        shape = each.shape
        if shape.milli == 0:
            return
        step = int(np.searchsorted(self._steps, shape.cpu))
        for code, (model, mib) in enumerate(fleet.kinds):
            if code and (not shape.models or model in shape.models) and mib >= shape.card_mib:
                if shape.cards > 1:
                    self._many[code, step:, shape.cards :] += each.parts
                else:
                    self._one[code, step:, shape.share or WHOLE :] += each.parts

    def step(self, cpu: Ints) -> Ints:
        """Return the row of the tables for so much free CPU."""
        return np.maximum(np.searchsorted(self._steps, cpu, side="right") - 1, 0).astype(np.int64)

    def one(self, kind: Ints, step: Ints, free: Ints) -> Ints:
        """Return what single cards are worth for work on one card."""
        return self._one[kind, step, free]

    def many(self, kind: Ints, step: Ints, whole: Ints) -> Ints:
        """Return what so many whole cards are worth for work on several."""
        return self._many[kind, step, whole]
