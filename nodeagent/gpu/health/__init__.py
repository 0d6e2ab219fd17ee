"""The health of cards: Xids, error counters, foreign processes, memory that was not returned."""
