"""Idle notebooks: when each was last used, and how it releases and reacquires its GPUs."""
