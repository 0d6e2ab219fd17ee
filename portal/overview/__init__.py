"""The whole cluster at a glance, for those who run it or a group: problems, holders, waits, waste, cards."""
