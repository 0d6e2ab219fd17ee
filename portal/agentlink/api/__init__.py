"""REST endpoints of enrolment."""
