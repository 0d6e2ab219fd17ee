import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ListedWorkload } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useArrival } from "@/shared/lists/api/views";
import type { Bulk } from "@/shared/lists/components/bulk-bar";
import { ListTable, moreOf } from "@/shared/lists/components/list-table";
import type { ListName } from "@/shared/lists/model/views";
import { QueryBoundary } from "@/shared/ui/query-states";
import { RowsContext } from "../api/listed-use";
import { type RowAction, runRowAction } from "../api/row-actions";
import { useWorkloads, type WorkloadFilters, workloadKeys } from "../api/workloads";
import { SORT_KEYS } from "../model/list-search";
import { useMoreColumns } from "./more-columns";
import { useWorkloadColumns } from "./workload-table";

interface WorkloadListProps {
  /** Under this name the browser keeps what its reader chose. */
  id: string;
  label: string;
  filters: WorkloadFilters;
  empty: ReactNode;
  action?: (workload: ListedWorkload) => ReactNode;
  /** What can be done to many rows at once. */
  bulk?: readonly RowAction[];
  /** Where its filters are the page's: the list that views are of. */
  views?: ListName;
}

/** A list of work in its four conditions: loading, failed, empty, full. */
export function WorkloadList(props: WorkloadListProps) {
  useArrival(props.views);
  const list = useWorkloads(props.filters);
  return (
    <QueryBoundary query={list} rows={6}>
      {(workloads) => (
        <LoadedList
          {...props}
          workloads={workloads}
          onMore={moreOf(list)}
          isLoadingMore={list.isFetchingNextPage}
        />
      )}
    </QueryBoundary>
  );
}

interface LoadedListProps extends WorkloadListProps {
  workloads: readonly ListedWorkload[];
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

function LoadedList(props: LoadedListProps) {
  const { workloads, action, bulk = [], filters, ...table } = props;
  const columns = useWorkloadColumns(workloads, action);
  const more = useMoreColumns<ListedWorkload>();
  const actions = useBulk(bulk);
  const isAct = ({ key }: { key: string }) => key === "action";
  return (
    <RowsContext value={workloads.map(({ id }) => id)}>
      <ListTable
        {...table}
        columns={[...columns.filter((each) => !isAct(each)), ...more, ...columns.filter(isAct)]}
        rows={workloads}
        rowKey={({ id }) => id}
        serverSorts={table.views ? SORT_KEYS : []}
        file={fileOf(filters)}
        {...(bulk.length > 0 && { bulk: actions })}
      />
    </RowsContext>
  );
}

function useBulk(keys: readonly RowAction[]): Bulk<ListedWorkload> {
  const { t } = useTranslation("lists");
  const client = useQueryClient();
  return {
    nameOf: ({ name }) => name,
    allowed: ({ actions }) => actions,
    actions: keys.map((key) => ({
      key,
      label: t(`work.${key}.label`),
      about: t(`work.${key}.about`),
      isDangerous: ["cancel", "stop", "delete", "remove"].includes(key),
      run: (row) => runRowAction(row, key),
    })),
    onDone: () => void client.invalidateQueries({ queryKey: workloadKeys.lists }),
  };
}

/** Where all rows of these filters are downloaded. */
function fileOf(filters: WorkloadFilters): string {
  const query = Object.entries(filters).map(([name, value]) => [name, String(value)]);
  return `/api/v1/workloads.csv?${new URLSearchParams(query)}`;
}
