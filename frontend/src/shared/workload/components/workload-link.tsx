import { Link } from "@tanstack/react-router";
import type { ArraySummary, WorkGlimpse } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import styles from "./workload.module.css";

const PAGES: Record<string, "/notebooks/$id" | "/apps/$id"> = {
  environment: "/notebooks/$id",
  app: "/apps/$id",
};

interface WorkloadLinkProps {
  workload: {
    id: string;
    kind: string;
    name: string | null;
    array_index?: number | null;
    array?: ArraySummary | null;
  };
}

/** The name of a workload, leading to its page; a task of an array has its index behind it. */
export function WorkloadLink({ workload }: WorkloadLinkProps) {
  const { id, kind, name, array, array_index } = workload;
  if (array) {
    return (
      <Link to="/jobs/arrays/$id" params={{ id: array.id }} className={styles.workloadLink}>
        {name} [{array.indexes}]
      </Link>
    );
  }
  return (
    <Link to={PAGES[kind] ?? "/jobs/$id"} params={{ id }} className={styles.workloadLink}>
      {typeof array_index === "number" ? `${name} [${array_index}]` : name}
    </Link>
  );
}

/** The name of a workload as a link, where this reader may see it. */
export function GlimpseName({ work: { id, name, kind } }: { work: WorkGlimpse }) {
  const { t } = useTranslation("workload");
  if (!id) return <span>{t("ofOthers")}</span>;
  return <WorkloadLink workload={{ id, kind, name }} />;
}
