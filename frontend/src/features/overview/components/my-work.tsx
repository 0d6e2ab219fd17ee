import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Workload } from "@/shared/api/types";
import { useMaySubmit } from "@/shared/session/me";
import { useChosenGroup } from "@/shared/session/search-params";
import { EmptyState, Loading, ProblemAlert } from "@/shared/ui/query-states";
import { useWorkloads } from "@/shared/workload/api/workloads";
import { WorkloadTable } from "@/shared/workload/components/workload-table";
import { glanceOf } from "../model/overview";
import styles from "./overview.module.css";

interface MyWorkProps {
  action: (workload: Workload) => ReactNode;
}

/** What of mine runs, then what waits, as far as it goes on one screen; the lists have the rest. */
export function MyWork({ action }: MyWorkProps) {
  const { t } = useTranslation("overview");
  const group = useChosenGroup();
  const maySubmit = useMaySubmit();
  const mine = { owner: "me", ...(group && { group }) } as const;
  const running = useWorkloads({ ...mine, state: "running" });
  const active = useWorkloads({ ...mine, active: true });
  if (running.isPending || active.isPending) return <Loading rows={6} />;
  if (!running.workloads || !active.workloads) {
    const retry = () => void Promise.all([running.refetch(), active.refetch()]);
    return <ProblemAlert error={running.error ?? active.error} onRetry={retry} />;
  }
  const { shown, hasMore } = glanceOf(running.workloads, active.workloads);
  if (shown.length === 0) {
    const text = t(maySubmit ? "empty.text" : "empty.onlyReading");
    return <EmptyState title={t("empty.title")} text={text} />;
  }
  return (
    <>
      <WorkloadTable isBrief label={t("mine")} workloads={shown} action={action} />
      {hasMore && (
        <p className={styles.rest}>
          {t("rest")}{" "}
          <Link to="/notebooks" search={{ mine: true }}>
            {t("allNotebooks")}
          </Link>{" "}
          ·{" "}
          <Link to="/jobs" search={{ mine: true }}>
            {t("allJobs")}
          </Link>
        </p>
      )}
    </>
  );
}
