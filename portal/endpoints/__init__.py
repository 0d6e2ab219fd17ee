"""How running work is reached: its endpoints, who may open them, and shares with colleagues."""
