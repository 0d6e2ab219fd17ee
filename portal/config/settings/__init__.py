"""Django's settings, and those of the tests."""
