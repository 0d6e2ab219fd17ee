import { Button, Checkbox, Input, Radio } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Workload } from "@/shared/api/types";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useWorkloads, type WorkloadFilters } from "../api/workloads";
import { stateSince } from "../model/lifecycle";
import { type ListSearch, SHOWN, type Shown } from "../model/list-search";
import { useRequestWords } from "./sentences";
import { StateTag, WorkloadLink } from "./tags";
import styles from "./workload.module.css";

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

const BRIEF = ["name", "state", "request"];

interface WorkloadTableProps {
  label: string;
  workloads: readonly Workload[];
  /** What may be done with one of them at once. */
  action?: (workload: Workload) => ReactNode;
  onMore?: (() => void) | undefined;
  /** Only what the reader's own work needs: no owner, no time of submission. */
  isBrief?: boolean;
}

export function WorkloadTable(props: WorkloadTableProps) {
  const { label, workloads, action, onMore, isBrief = false } = props;
  const { t } = useTranslation(["workload", "ui"]);
  const columns = useWorkloadColumns().filter(({ key }) => !isBrief || BRIEF.includes(key));
  const actions: Column<Workload>[] =
    action && workloads.some((workload) => action(workload))
      ? [{ key: "action", title: t("column.action"), cell: action }]
      : [];
  return (
    <>
      <DataTable
        label={label}
        columns={[...columns, ...actions]}
        rows={workloads}
        rowKey={(workload) => workload.id}
      />
      {onMore && (
        <Button className={styles.more ?? ""} onClick={onMore}>
          {t("ui:loadMore")}
        </Button>
      )}
    </>
  );
}

function useWorkloadColumns(): Column<Workload>[] {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const words = useRequestWords();
  return [
    {
      key: "name",
      title: t("column.name"),
      cell: (workload) => <WorkloadLink workload={workload} />,
    },
    {
      key: "state",
      title: t("column.state"),
      cell: (workload) => <StateCell workload={workload} />,
    },
    {
      key: "request",
      title: t("column.request"),
      cell: (workload) => {
        const { devices, host } = words(workload);
        return (
          <span className="num">
            {devices}
            <span className="second">{host}</span>
          </span>
        );
      },
    },
    {
      key: "where",
      title: t("column.where"),
      cell: ({ group, pool }) => (
        <>
          {titleOf(pool, language)}
          <span className="second">{group.title}</span>
        </>
      ),
    },
    {
      key: "owner",
      title: t("column.owner"),
      cell: ({ owner }) => owner.display_name || owner.username,
    },
    {
      key: "submitted",
      title: t("column.submitted"),
      cell: ({ submitted_at }) => <Age at={submitted_at} />,
    },
  ];
}

function StateCell({ workload }: { workload: Workload }) {
  const { t } = useTranslation("workload");
  const { state, position } = workload;
  return (
    <>
      <StateTag state={state} />
      <span className="num second">
        {state === "queued" && position !== null ? (
          t("waiting.position", { position })
        ) : (
          <Age at={stateSince(workload)} />
        )}
      </span>
    </>
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
