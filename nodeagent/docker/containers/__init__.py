"""Containers of this node in the engine: create options, state, ends, logs, usage."""
