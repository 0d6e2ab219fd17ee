"""Data sets on this node: where they are, and copies of published ones on its own disk."""
