/** Links to work: one workload, an array, what a job waits for by its submission. */
import { Link } from "@tanstack/react-router";
import type { ArraySummary, Dependency, WorkGlimpse } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { routeOf } from "../model/kinds";
import styles from "./workload.module.css";

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
    <Link to={routeOf(kind)} params={{ id }} className={styles.workloadLink}>
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

/** The array of a task, leading to its page. */
export function ArrayLink({ array: { id, indexes, size } }: { array: ArraySummary }) {
  const { t } = useTranslation("workload");
  return (
    <Link to="/jobs/arrays/$id" params={{ id }}>
      {t("array.tasks", { count: size })} [{indexes}]
    </Link>
  );
}

/** Jobs and arrays on which work depends, each with its condition and whether it is satisfied. */
export function DependencyList({ dependencies }: { dependencies: readonly Dependency[] }) {
  const { t } = useTranslation("workload");
  return dependencies.map(({ type, id, name, is_array, is_satisfied }) => (
    <div key={`${type} ${id}`}>
      {t(`dependency.${type}`)}{" "}
      <Link to={is_array ? "/jobs/arrays/$id" : "/jobs/$id"} params={{ id }}>
        {name ?? id.slice(-8)}
      </Link>{" "}
      ({t(is_satisfied ? "dependency.satisfied" : "dependency.open")})
    </div>
  ));
}
