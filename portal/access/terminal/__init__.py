"""Terminals of notebooks and jobs in the browser, over a WebSocket."""
