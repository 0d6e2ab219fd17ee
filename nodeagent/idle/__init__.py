"""Idle notebooks: when one was last in use, and how it releases its GPUs and gets them back."""
