"""The scheduler: its pure core, its runtime on the portal's database, and the simulator."""
