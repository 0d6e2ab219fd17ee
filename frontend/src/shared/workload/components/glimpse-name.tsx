import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { WorkGlimpse } from "@/shared/api/types";
import styles from "./workload-link.module.css";

/** The work's name where this reader may know it, leading to its page. */
export function GlimpseName({ work: { id, name, kind } }: { work: WorkGlimpse }) {
  const { t } = useTranslation("workload");
  if (!id) return <span>{t("ofOthers")}</span>;
  return (
    <Link
      to={kind === "environment" ? "/notebooks/$id" : "/jobs/$id"}
      params={{ id }}
      className={styles.link}
    >
      {name}
    </Link>
  );
}
