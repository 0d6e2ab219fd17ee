import { Checkbox, Input, Radio } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Workload } from "@/shared/api/types";
import { QueryBoundary } from "@/shared/ui/query-states";
import { useWorkloads, type WorkloadFilters } from "../api/workloads";
import { type ListSearch, SHOWN, type Shown } from "../model/list-search";
import styles from "./workload.module.css";
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
  const more = list.hasNextPage ? () => void list.fetchNextPage() : undefined;
  return (
    <QueryBoundary query={list} rows={6}>
      {(workloads) =>
        workloads.length === 0 ? (
          empty
        ) : (
          <WorkloadTable {...table} workloads={workloads} onMore={more} />
        )
      }
    </QueryBoundary>
  );
}

interface ListFiltersProps {
  search: ListSearch;
  onChange: (search: ListSearch) => void;
}

/** The filters above a list; the address is their memory. */
export function ListFilters({ search, onChange }: ListFiltersProps) {
  const { t } = useTranslation("workload");
  return (
    <search className={styles.filters}>
      <Radio.Group
        optionType="button"
        aria-label={t("filter.show")}
        value={search.show ?? "active"}
        onChange={({ target }) => onChange({ ...search, show: target.value as Shown })}
        options={SHOWN.map((value) => ({ value, label: t(`filter.${value}`) }))}
      />
      <Checkbox
        checked={search.mine ?? false}
        onChange={({ target }) => onChange({ ...search, mine: target.checked || undefined })}
      >
        {t("filter.mine")}
      </Checkbox>
      <Input.Search
        allowClear
        className={styles.search ?? ""}
        aria-label={t("filter.search")}
        placeholder={t("filter.search")}
        defaultValue={search.q}
        onSearch={(q) => onChange({ ...search, q: q || undefined })}
      />
    </search>
  );
}
