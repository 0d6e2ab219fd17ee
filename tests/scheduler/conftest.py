"""Hypothesis for this folder: no deadline, because a busy machine is not a finding."""

from hypothesis import settings

settings.register_profile("scheduler", deadline=None, max_examples=60)
settings.load_profile("scheduler")
