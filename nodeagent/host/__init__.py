"""The host: clocks, threads, processes, cgroups, file systems, commands."""
