import { Drawer } from "antd";
import { QueryBoundary } from "@/shared/ui/query-states";
import { useWorkload } from "@/shared/workload/api/workloads";
import { WaitingPanel } from "@/shared/workload/components/waiting-panel";

interface WaitDrawerProps {
  workloadId: string;
  name: string;
  onClose: () => void;
}

/** Why one piece of work waits: all reasons, who holds what it needs, and what would let it start now. */
export function WaitDrawer({ workloadId, name, onClose }: WaitDrawerProps) {
  return (
    <Drawer open onClose={onClose} title={name} size="large">
      <QueryBoundary query={useWorkload(workloadId)} rows={5}>
        {(workload) => <WaitingPanel workload={workload} />}
      </QueryBoundary>
    </Drawer>
  );
}
