import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Workload } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useCanSubmit, useChosenGroup } from "@/shared/session/me";
import { bothOf, EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { useWorkloads } from "@/shared/workload/api/workloads";
import { WorkloadTable } from "@/shared/workload/components/workload-table";
import { glanceOf } from "../model/overview";
import styles from "./overview.module.css";

interface MyWorkProps {
  action: (workload: Workload) => ReactNode;
}

/** What of mine runs, then what waits, as far as it goes on one screen; the lists have the rest. */
export function MyWork({ action }: MyWorkProps) {
  const group = useChosenGroup();
  const mine = { owner: "me", collapsed: true, ...(group && { group }) } as const;
  const running = useWorkloads({ ...mine, state: "running" });
  const active = useWorkloads({ ...mine, active: true });
  return (
    <QueryBoundary query={bothOf(running, active)} rows={6}>
      {([running, active]) => <Glance {...glanceOf(running, active)} action={action} />}
    </QueryBoundary>
  );
}

function Glance({ shown, hasMore, action }: MyWorkProps & ReturnType<typeof glanceOf>) {
  const { t } = useTranslation("overview");
  const maySubmit = useCanSubmit();
  if (shown.length === 0) {
    const text = t(maySubmit ? "empty.text" : "empty.onlyReading");
    return <EmptyState title={t("empty.title")} text={text} />;
  }
  return (
    <>
      <WorkloadTable label={t("mine")} workloads={shown} action={action} />
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
