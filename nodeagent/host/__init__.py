"""The host machine: clocks, threads, processes, cgroups, file systems, commands."""
