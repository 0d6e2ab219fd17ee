"""`make run`: the whole platform on one machine, for development and trying it out."""
