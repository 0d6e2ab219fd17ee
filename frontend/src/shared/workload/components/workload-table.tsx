import { Button } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Workload } from "@/shared/api/types";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Age } from "@/shared/ui/time";
import { stateSince } from "../model/lifecycle";
import { useRequestWords } from "./sentences";
import { IdleWarningTag, StateTag, TaskStates } from "./tags";
import styles from "./workload.module.css";
import { WorkloadLink } from "./workload-link";

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
  const { state, array, idle_warning } = workload;
  if (array) return <TaskStates states={array.states} />;
  return (
    <>
      <StateTag state={state} />
      <span className="num second">
        <StateNote workload={workload} />
      </span>
      {idle_warning && <IdleWarningTag warning={idle_warning} />}
    </>
  );
}

/** Its place in the queue, that it is on hold, or since when it has been in its state. */
function StateNote({ workload }: { workload: Workload }) {
  const { t } = useTranslation("workload");
  const { state, position, held_by } = workload;
  if (state === "queued" && held_by) return t("waiting.held");
  if (state === "queued" && position !== null) return t("waiting.position", { position });
  return <Age at={stateSince(workload)} />;
}
