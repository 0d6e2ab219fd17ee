"""Runs the core on the database: load a snapshot, decide, commit the plan, audit."""
