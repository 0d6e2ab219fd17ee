"""Commands beside the work of a container, over the engine's `exec`."""
