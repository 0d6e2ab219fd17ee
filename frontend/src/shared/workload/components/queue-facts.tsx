/** What a job waits for by its submission, and the array of which it is a task. */
import { Link } from "@tanstack/react-router";
import type { ArraySummary, Dependency } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";

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
