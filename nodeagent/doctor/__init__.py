"""Checks of a host: what it lacks as a node, and the commands that repair it."""
