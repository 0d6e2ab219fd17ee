"""REST endpoints of jobs and their output files."""
