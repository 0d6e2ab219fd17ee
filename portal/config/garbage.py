"""Garbage collection of the servers' processes: what is loaded stays, and what an answer makes is gone with it."""

import gc


def spare_loaded() -> None:
    """Take all that is in memory now from the collector, and let it run seldom from now on.

    A full collection would walk everything loaded within some answer, or while every socket waits. With
    Python's threshold of 700 objects most of what a large answer, or a frame to thousands of pages, makes
    is taken for long-lived meanwhile, and so leads to a full collection every few seconds.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 5, 2)
