"""The planted bugs: what the simulation must be able to catch, or it proves nothing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bugs:
    """Switches that break the protocol, each in one place; all off is the real thing."""

    no_self_fence: bool = False
    """Neither the agent nor its watchdog stops work when the lease has ended."""
    no_lease_wait: bool = False
    """The portal gives the work of a silent node away without waiting for its lease."""
    frees_at_stop_request: bool = False
    """Capacity is free as soon as the stop is asked for."""
    ignores_devices: bool = False
    """The agent starts a container on a card that another one still uses."""
    forgets: bool = False
    """A restarted agent knows nothing of what it ran."""
    no_tombstones: bool = False
    """The agent does not tell which attempts it took and has nothing left of."""
    applies_stale_replies: bool = False
    """The agent obeys a reply that is older than one it has obeyed."""
    epoch_stays: bool = False
    """A new placement keeps the epoch of the one before."""
    silence_is_proof: bool = False
    """The portal takes a container that was never reported for one that is gone."""
    splits_gangs: bool = False
    """A gang is placed without its last rank when that is what fits."""
    ignores_quota: bool = False
    """Neither the scheduler nor the commit looks at ceilings."""
    cancel_loses: bool = False
    """A clean end that arrives after a cancel makes the work succeed."""
    forgets_ends: bool = False
    """The agent tells of an end once and does not repeat it until it is acknowledged."""
    frees_at_eviction: bool = False
    """Capacity is free as soon as notice is given."""
    evicts_anybody: bool = False
    """Work that nobody may stop is evicted all the same."""
    eviction_keeps_epoch: bool = False
    """Evicted work is placed again in the epoch that it had."""
    places_before_gone: bool = False
    """Evicted work is placed again while its containers may still be there."""
    starts_held_work: bool = False
    """Neither the scheduler nor the commit looks at holds and dependencies."""
    starts_past_lease: bool = False
    """What was decided within the lease is started without another look at it."""
    fences_kept: bool = False
    """The watchdog stops also what is to be kept when the lease has ended."""
    gives_up_kept: bool = False
    """The portal gives up what is kept when lease and grace are over."""
    any_machine_proves: bool = False
    """A new boot proves the earlier one gone, whatever machine it is on."""
    places_before_heard: bool = False
    """A restored portal places work from its backup before every node has spoken."""
    stops_forgotten: bool = False
    """A restored portal stops what its database does not know."""
    epochs_are_reused: bool = False
    """A restored portal counts epochs on from its backup."""
    no_limit_in_silence: bool = False
    """Nobody but the portal ends work at its time limit."""
    watchdog_hurries: bool = False
    """The watchdog gives work over its limit the grace of the lease."""
    forgets_stops: bool = False
    """A restarted agent does not know what it had announced to work."""
    tells_over_orders: bool = False
    """What work is told of its stop does not mind an order that was given before."""
    limits_open_ends: bool = False
    """Nodes are told a deadline for work without a time limit."""
    no_host_lock: bool = False
    """A copied folder starts a second agent on the same host."""
    hears_any_agent: bool = False
    """The portal hears every agent that has the node's key."""
    no_shim_guard: bool = False
    """A container's shim does not look at the lease when agent and watchdog are dead."""
    forgets_silent_ends: bool = False
    """What ended while the portal was away is not told."""
