"""Reads for the engine: the whole cluster at one moment, and the past."""
