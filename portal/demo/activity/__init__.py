"""What the people of the demo do now: a pure plan, and a round of it every half minute."""
