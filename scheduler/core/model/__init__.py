"""The words of the core: entities, states, reasons, resources, policies, snapshot and plan."""
