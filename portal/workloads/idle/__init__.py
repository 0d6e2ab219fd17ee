"""Idle notebooks: when they were last in use, and the release of their GPUs."""
