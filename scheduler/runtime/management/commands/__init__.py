"""`manage.py` commands: run the scheduler, check the invariants."""
