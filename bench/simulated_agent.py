"""The wire's end of a node that runs at once what it is instructed to: what an agent sends, and no more."""

from typing import Any


class SimulatedAgent:
    """The messages of one node; the facts of its row are repeated in every heartbeat."""

    def __init__(self, node: Any) -> None:
        """Begin without containers."""
        from tests.builders.scripted_node import ScriptedNode  # noqa: PLC0415 - after `prepared`

        self.node_id = node.pk
        self._heartbeat = ScriptedNode(node).message(0)

    def next_heartbeat(self) -> str:
        """Return the text of the next heartbeat."""
        from wire.codec import encode  # noqa: PLC0415

        self._heartbeat = self._heartbeat.model_copy(update={"seq": self._heartbeat.seq + 1})
        return encode(self._heartbeat)

    def next_sample(self, number: int) -> str:
        """Return the text of what its host, cards and containers use now."""
        from portal.common.clock import now, to_millis  # noqa: PLC0415
        from wire.codec import encode  # noqa: PLC0415
        from wire.samples import (  # noqa: PLC0415
            CardSample,
            ContainerSample,
            HostSample,
            Sample,
            Telemetry,
        )

        cards = tuple(
            CardSample(
                uuid=card.uuid,
                utilisation_pct=number % 101,
                memory_used_mib=20_000,
                power_mw=300_000,
                temperature_c=60,
                energy_mj=300_000 * number,
            )
            for card in self._heartbeat.facts.accelerators
        )
        containers = tuple(
            ContainerSample(
                allocation=one.allocation,
                epoch=one.epoch,
                cpu_ms=1000 * number,
                memory_mib=1024,
                gpu_memory_mib=20_000,
                gpu_utilisation_pct=number % 101,
            )
            for one in self._heartbeat.containers
        )
        host = HostSample(
            cpus=128,
            cpu_ms=64_000 * number,
            memory_used_mib=400_000,
            memory_mib=2_000_000,
            disk_used_mib=900_000,
            disk_mib=3_000_000,
            read_bytes=number,
            written_bytes=number,
            rx_bytes=number,
            tx_bytes=number,
        )
        sample = Sample(at=to_millis(now()), host=host, cards=cards, containers=containers)
        return encode(Telemetry(samples=(sample,)))

    def apply(self, text: str) -> bool:
        """Run what a reply names; return whether the text is a reply."""
        from wire.codec import decode_to_agent  # noqa: PLC0415
        from wire.messages import ContainerReport, Desired, Refused  # noqa: PLC0415
        from wire.words import Phase  # noqa: PLC0415

        reply = decode_to_agent(text)
        if isinstance(reply, Refused):
            raise TypeError(f"refused: {reply.code}")
        if not isinstance(reply, Desired):
            return False
        runs = tuple(
            ContainerReport(allocation=item.allocation, epoch=item.epoch, phase=Phase.RUNNING)
            for item in reply.containers
        )
        self._heartbeat = self._heartbeat.model_copy(
            update={"applied": reply.seq, "containers": runs}
        )
        return True
