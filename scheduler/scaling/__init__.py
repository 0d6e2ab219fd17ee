"""How many replicas a service wants: pure rules over measured load, learned capacity and a forecast."""
