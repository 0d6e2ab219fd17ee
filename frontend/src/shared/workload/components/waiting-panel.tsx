import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Reason, WorkloadDetail } from "@/shared/api/types";
import { formatDeadline } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Facts, Panel } from "@/shared/ui/page";
import { Elapsed, useNow } from "@/shared/ui/time";
import { useEvents } from "../api/workloads";
import { indexOfCard } from "../model/held-cards";
import { evictionsOf, isReallyWaiting } from "../model/lifecycle";
import { withinPromise } from "../model/reasons";
import {
  useCauseSentence,
  useDeviceWords,
  useReasonSentence,
  useStartWords,
  useSureWords,
} from "./sentences";
import { WaitDetails } from "./ways-out";
import styles from "./workload.module.css";

/** Why a queued workload waits, who is ahead, when it is expected to start, and what is promised. */
export function WaitingPanel({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const now = useNow();
  const { state, position, reasons, queued_at } = workload;
  if (state !== "queued" || !isReallyWaiting(workload, now)) return null;
  return (
    <Panel
      title={t("waiting.title")}
      testId="reasons"
      extra={
        <span className="num">
          {position !== null && `${t("waiting.position", { position })} · `}
          {t("waiting.since")} <Elapsed since={queued_at} />
        </span>
      }
    >
      <div className="stack">
        {reasons.length > 0 ? <ReasonList reasons={reasons} /> : t("waiting.noReasonYet")}
        <StartFacts workload={workload} />
        <MovedStarts moves={workload.moved_starts} />
        <WaitDetails workload={workload} />
        <AvoidedPlaces workload={workload} />
        {workload.evictions > 0 && <EvictionList workloadId={workload.id} />}
      </div>
    </Panel>
  );
}

/** What is known about its start. */
function StartFacts({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const startWords = useStartWords();
  const sureWords = useSureWords();
  const { position, expected_start, reservation, pool } = workload;
  const facts: (readonly [string, ReactNode])[] = [];
  if (expected_start) {
    const range = withinPromise(expected_start, reservation?.starts_at);
    facts.push([t("waiting.expected"), startWords(range)]);
    facts.push([t("waiting.sure"), sureWords(range)]);
  }
  if (reservation) {
    facts.push([t("waiting.reserved"), <ReservedPlaces key="reserved" workload={workload} />]);
  }
  if (position !== null) {
    facts.push([
      t("waiting.ahead"),
      <span key="ahead">
        {t("waiting.aheadCount", { count: position - 1 })} ·{" "}
        <Link to="/queue" search={{ pool: pool.name }}>
          {t("waiting.seeQueue")}
        </Link>
      </span>,
    ]);
  }
  return facts.length > 0 ? <Facts facts={facts} /> : null;
}

/** `8 GPUs on gpu-train-1, by 15:05 GMT+8`. */
function ReservedPlaces({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const now = useNow();
  const devices = useDeviceWords();
  const { reservation } = workload;
  if (!reservation) return null;
  const places = reservation.nodes.map(({ node, replicas }) =>
    t("waiting.place", { what: devices({ ...workload, replicas }), node: node.name }),
  );
  return (
    <>
      {t("waiting.promise", {
        places: new Intl.ListFormat(language).format(places),
        at: formatDeadline(new Date(reservation.starts_at), now, language),
      })}
    </>
  );
}

type Moved = WorkloadDetail["moved_starts"][number];

/** Promised starts that could not be kept: the old time, the new one, and why. */
function MovedStarts({ moves }: { moves: readonly Moved[] }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const now = useNow();
  if (moves.length === 0) return null;
  const time = (moment: string) => formatDeadline(new Date(moment), now, language);
  return (
    <div>
      <p className={styles.reasonsLead}>{t("waiting.moved")}</p>
      <ul className={styles.reasons} aria-label={t("waiting.moved")}>
        {moves.map(({ at, was, starts_at, cause }) => (
          <li key={at} data-code={cause}>
            {t(starts_at ? "waiting.movedTo" : "waiting.movedAway", {
              when: time(at),
              was: time(was),
              at: starts_at ? time(starts_at) : "",
              cause: t(`waiting.moveCause.${cause}`),
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Why not now, hardest first, one sentence each. */
export function ReasonList({ reasons }: { reasons: readonly Reason[] }) {
  const sentence = useReasonSentence();
  return (
    <ul className={styles.reasons}>
      {reasons.map((reason) => (
        <li key={reason.code + JSON.stringify(reason.params)} data-code={reason.code}>
          {sentence(reason)}
        </li>
      ))}
    </ul>
  );
}

type Avoided = WorkloadDetail["avoids"][number];

/** Places that the next attempt avoids while there are others, because earlier ones failed there. */
function AvoidedPlaces({ workload: { avoids, allocations } }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const now = useNow();
  const causeSentence = useCauseSentence();
  if (avoids.length === 0) return null;
  const placeOf = ({ card, node }: Avoided) => {
    if (card === null) return t("avoids.node", { node: node.name });
    return t("avoids.card", { card: indexOfCard(allocations, card) ?? card, node: node.name });
  };
  return (
    <div>
      <p className={styles.reasonsLead}>{t("avoids.title")}</p>
      <ul className={styles.reasons} aria-label={t("avoids.title")}>
        {avoids.map((avoided) => (
          <li key={`${avoided.node.id} ${avoided.card}`} data-code={avoided.cause}>
            {t("avoids.line", {
              place: placeOf(avoided),
              until: formatDeadline(new Date(avoided.until), now, language),
              cause: causeSentence(avoided.cause, {}),
              count: avoided.times,
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Each eviction: when, why, and that its place in the queue was kept. */
function EvictionList({ workloadId }: { workloadId: string }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const now = useNow();
  const evictions = evictionsOf(useEvents(workloadId).data?.results ?? []);
  if (evictions.length === 0) return null;
  return (
    <ul className={styles.reasons} aria-label={t("evicted.title")}>
      {evictions.map(({ id, at, cause }) => (
        <li key={id}>
          {t("evicted.line", {
            cause: t(`cause.${cause}`),
            at: formatDeadline(new Date(at), now, language),
          })}
        </li>
      ))}
    </ul>
  );
}
