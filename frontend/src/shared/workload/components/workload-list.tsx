import type { ReactNode } from "react";
import type { Workload } from "@/shared/api/types";
import { Loading, ProblemAlert } from "@/shared/ui/query-states";
import { useWorkloads, type WorkloadFilters } from "../api/use-workloads";
import { WorkloadTable } from "./workload-table";

interface WorkloadListProps {
  label: string;
  filters: WorkloadFilters;
  empty: ReactNode;
  action?: (workload: Workload) => ReactNode;
  isBrief?: boolean;
}

/** A list in its four conditions: loading, failed, empty, full. */
export function WorkloadList(props: WorkloadListProps) {
  const { filters, empty, ...table } = props;
  const list = useWorkloads(filters);
  if (list.isPending) return <Loading rows={6} />;
  if (!list.workloads) {
    return <ProblemAlert error={list.error} onRetry={() => void list.refetch()} />;
  }
  if (list.workloads.length === 0) return empty;
  return (
    <WorkloadTable
      {...table}
      workloads={list.workloads}
      onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
    />
  );
}
