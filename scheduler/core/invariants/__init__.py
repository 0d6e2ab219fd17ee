"""What must hold at every moment, as pure checks over plain facts."""
