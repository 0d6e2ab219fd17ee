import { Link } from "@tanstack/react-router";
import { type ReactNode, Suspense } from "react";
import { JOB } from "@/shared/api/kinds.gen";
import type { JobArray, Workload, WorkloadState } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canStop } from "@/shared/session/roles";
import { lazyWithRetry } from "@/shared/ui/opening";
import { Facts, PageHeader, Panel } from "@/shared/ui/page";
import { EmptyState, Loading } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { TaskStates } from "@/shared/workload/components/tags";
import { DependencyList } from "@/shared/workload/components/workload-link";
import { WorkloadList } from "@/shared/workload/components/workload-list";
import { isStoppable, isTerminal } from "@/shared/workload/model/lifecycle";
import { useArrayUpdates } from "../api/jobs";
import { ArrayActions, CancelButton } from "./queue-actions";

const LaterResults = lazyWithRetry(
  async () => (await import("@/shared/metrics/components/results-table")).ResultsTable,
);

interface ArrayPageProps {
  array: JobArray;
  /** Buttons of web apps that show what its tasks find. */
  apps: ReactNode;
}

/** A job array: how many tasks are in which state, what can be done with them, and each task. */
export function ArrayPage({ array, apps }: ArrayPageProps) {
  const { t } = useTranslation("jobs");
  const me = useMe();
  useArrayUpdates(array);
  const mayStop = canStop(me, array);
  return (
    <>
      <PageHeader
        title={`${array.name} [${array.indexes}]`}
        about={
          <>
            <span aria-live="polite">
              <TaskStates states={array.states} />
            </span>
            <Age at={array.submitted_at} />
            <span>{array.owner.display_name || array.owner.username}</span>
          </>
        }
        actions={mayStop && <ArrayActions array={array} />}
      />
      <div className="stack">
        <Panel title={t("array.title")}>
          <ArrayFacts array={array} />
        </Panel>
        <Panel title={t("array.results")} extra={apps}>
          <Suspense fallback={<Loading />}>
            <LaterResults array={array} isOver={isOver(array)} />
          </Suspense>
        </Panel>
        <Panel title={t("array.tasks")}>
          <WorkloadList
            id="tasks"
            label={t("array.tasks")}
            filters={{ kind: JOB.kind, array: array.id }}
            action={(job: Workload) =>
              mayStop &&
              isStoppable(job.state) && (
                <CancelButton jobId={job.id} name={`${job.name} [${job.array_index}]`} />
              )
            }
            empty={<EmptyState title={t("empty.title")} text={t("empty.text")} />}
          />
        </Panel>
      </div>
    </>
  );
}

/** Whether every task has ended. */
function isOver({ states }: JobArray): boolean {
  return Object.keys(states).every((state) => isTerminal(state as WorkloadState));
}

function ArrayFacts({ array }: { array: JobArray }) {
  const language = useLanguage();
  const { t } = useTranslation("jobs");
  const { size, running_max, head_id, dependencies, group, id } = array;
  return (
    <Facts
      facts={[
        [
          t("array.size"),
          <span key="size" className="num">
            {size}
          </span>,
        ],
        [
          t("array.runningMax"),
          <span key="most" className="num">
            {running_max ?? t("array.unlimited")}
          </span>,
        ],
        [t("array.group"), titleOf(group, language)],
        ...(dependencies.length > 0
          ? [
              [
                t("array.dependencies"),
                <DependencyList key="dependencies" dependencies={dependencies} />,
              ] as const,
            ]
          : []),
        [
          t("array.program"),
          <Link key="program" to="/jobs/$id" params={{ id: head_id }} search={{ tab: "details" }}>
            {t("array.firstTask")}
          </Link>,
        ],
        [
          t("array.id"),
          <code key="id" className="mono">
            {id}
          </code>,
        ],
      ]}
    />
  );
}
