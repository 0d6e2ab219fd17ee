"""What groups and members may hold: ceilings, guarantees, fair shares, budgets, decayed usage."""
