"""The simulated past of the demo's lab: who asked for what, and what became of it; pure."""
