"""What is free on the nodes of each pool, and whether a request fits there."""
