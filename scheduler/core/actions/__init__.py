"""The steps of a cycle: allocate, borrow, and plan which work is evicted."""
