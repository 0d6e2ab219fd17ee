"""Notebooks and sessions of web apps: their life cycle, and the schedules of notebooks."""
