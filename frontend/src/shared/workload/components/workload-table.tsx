import { type ReactNode, Suspense } from "react";
import type { Workload } from "@/shared/api/types";
import { formatWhen } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { lazyWithRetry } from "@/shared/ui/opening";
import { Age, useNow } from "@/shared/ui/time";
import { stateSince } from "../model/lifecycle";
import { useRequestWords } from "./sentences";
import { IdleWarningTag, StateTag, TaskStates } from "./tags";
import { WorkloadLink } from "./workload-link";

// Few lists have apps: their pictures are loaded where they do.
const LaterAppMark = lazyWithRetry(async () => (await import("./app-mark")).AppMark);
/** Names stay legible beside many columns. */
const NAME_PX = 140;
const BRIEF = ["name", "state", "request"];

interface WorkloadTableProps {
  label: string;
  workloads: readonly Workload[];
  /** What the page has more to say of each. */
  more?: readonly Column<Workload>[];
}

/** Only what the reader's own work needs: no owner, no time of submission. */
export function WorkloadTable({ label, workloads, more = [] }: WorkloadTableProps) {
  const columns = useWorkloadColumns(workloads);
  return (
    <DataTable
      label={label}
      columns={[...columns.filter(({ key }) => BRIEF.includes(key)), ...more]}
      rows={workloads}
      rowKey={(workload) => workload.id}
    />
  );
}

/** All columns; those of tags and of actions only where some row has one. */
export function useWorkloadColumns<Row extends Workload>(
  workloads: readonly Row[],
  action?: (workload: Row) => ReactNode,
): Column<Row>[] {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const words = useRequestWords();
  return [
    {
      key: "name",
      title: t("column.name"),
      cell: (workload) => (
        <div style={{ minWidth: NAME_PX }}>
          <WorkloadLink workload={workload} />
          {workload.app && (
            <Suspense>
              <LaterAppMark app={workload.app} />
            </Suspense>
          )}
        </div>
      ),
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
          <span className="second">{titleOf(group, language)}</span>
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
    ...(workloads.some(({ tags }) => tags.length > 0)
      ? [{ key: "tags", title: t("fact.tags"), cell: ({ tags }: Row) => tags.join(", ") }]
      : []),
    ...(action && workloads.some((workload) => action(workload))
      ? [{ key: "action", title: t("column.action"), cell: action }]
      : []),
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

/** Its place in the queue, that it is on hold, when it may start, or since when it has been in its state. */
function StateNote({ workload }: { workload: Workload }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const now = useNow();
  const { state, position, held_by, not_before } = workload;
  if (state === "queued" && held_by) return t("waiting.held");
  if (state === "queued" && not_before && new Date(not_before) > now) {
    return t("waiting.notBefore", { at: formatWhen(new Date(not_before), now, language) });
  }
  if (state === "queued" && position !== null) return t("waiting.position", { position });
  return <Age at={stateSince(workload)} />;
}
