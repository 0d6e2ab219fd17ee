"""Images of people: saved, built, scanned, kept for how long, and on which nodes they are."""
