"""Sign-in for the pages: a chosen part of django-allauth's API, behind a gate of its own."""
