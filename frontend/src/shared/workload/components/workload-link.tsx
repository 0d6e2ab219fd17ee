import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { WorkGlimpse } from "@/shared/api/types";
import styles from "./workload.module.css";

interface WorkloadLinkProps {
  workload: { id: string; kind: string; name: string | null };
}

/** The name of a workload, leading to its page. */
export function WorkloadLink({ workload: { id, kind, name } }: WorkloadLinkProps) {
  return (
    <Link
      to={kind === "environment" ? "/notebooks/$id" : "/jobs/$id"}
      params={{ id }}
      className={styles.workloadLink}
    >
      {name}
    </Link>
  );
}

/** The name of a workload as a link, where this reader may see it. */
export function GlimpseName({ work: { id, name, kind } }: { work: WorkGlimpse }) {
  const { t } = useTranslation("workload");
  if (!id) return <span>{t("ofOthers")}</span>;
  return <WorkloadLink workload={{ id, kind, name }} />;
}
