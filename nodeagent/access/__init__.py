"""Terminals, commands and ports of a container, carried over streams that the agent opens."""
