"""Change each rule of the scheduler's core in turn, and see that a table of its tests turns red."""
