import { Link } from "@tanstack/react-router";
import type { Workload } from "@/shared/api/types";
import styles from "./workload-link.module.css";

/** The name of a workload, leading to its page. */
export function WorkloadLink({ workload: { id, kind, name } }: { workload: Workload }) {
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
