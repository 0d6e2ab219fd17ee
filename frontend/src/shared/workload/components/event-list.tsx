import type { WorkloadEvent } from "@/shared/api/types";
import { useCodedText, useTranslation } from "@/shared/i18n/language";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useEvents } from "../api/workloads";
import { useCauseSentence } from "./sentences";
import { StateTag } from "./tags";
import styles from "./workload.module.css";

/** The events of a workload, newest first: when, what, why, by which actor. */
export function EventList({ workloadId }: { workloadId: string }) {
  const { t } = useTranslation("workload");
  return (
    <QueryBoundary query={useEvents(workloadId)}>
      {({ results }) =>
        results.length === 0 ? (
          <EmptyState title={t("events.empty")} text={t("events.about")} />
        ) : (
          <ol className={styles.events}>
            {results
              .toSorted((a, b) => b.id - a.id)
              .map((event) => (
                <EventLine key={event.id} event={event} />
              ))}
          </ol>
        )
      }
    </QueryBoundary>
  );
}

function EventLine({ event }: { event: WorkloadEvent }) {
  const { t } = useTranslation("workload");
  const cause = useCauseSentence();
  return (
    <li>
      <Age at={event.at} />
      <StateTag state={event.to_state} isPast />
      <span>{event.cause && cause(event.cause, { ...event.params, ...personOf(event) })}</span>
      <span className={styles.eventActor}>
        <Actor event={event} />
        {event.epoch > 1 && ` · ${t("events.attempt", { number: event.epoch })}`}
      </span>
    </li>
  );
}

/** The person or robot whose act it was; nothing for the platform's own. */
function personOf({ actor_kind, actor_name }: WorkloadEvent): { actor?: string } {
  return actor_kind === "system" ? {} : { actor: actor_name };
}

/** People by their names; parts of the platform by what they are. */
function Actor({ event: { actor_kind, actor_name } }: { event: WorkloadEvent }) {
  const { t } = useTranslation("workload");
  const coded = useCodedText();
  if (actor_kind !== "system") return <>{actor_name}</>;
  const [part = "", name] = actor_name.split(":");
  return <>{coded(`workload:actor.${part}`, { name }) ?? t("actor.platform")}</>;
}
