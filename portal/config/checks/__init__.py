"""Checks of a start: what is refused before a process serves."""
