"""Nodes and pools in service: liveness, cordon, drain, retire, change, remove."""
