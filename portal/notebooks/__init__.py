"""Notebooks: their life cycle, and their schedules."""
