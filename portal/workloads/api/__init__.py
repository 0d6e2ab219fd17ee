"""REST endpoints of all kinds of work: list, events, checkpoint, dry run, advice."""
