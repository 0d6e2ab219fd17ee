"""When a notebook is in use, and how its work leaves its cards and comes back."""
