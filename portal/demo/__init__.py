"""The demo organisation that `manage.py seed_demo` writes."""
