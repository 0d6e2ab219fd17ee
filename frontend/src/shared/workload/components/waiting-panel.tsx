import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { formatWhen } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { Facts, Panel } from "@/shared/ui/page";
import { Elapsed, useNow } from "@/shared/ui/time";
import { isBeyondDoubt } from "../model/states";
import { AvoidedPlaces } from "./avoided-places";
import { EvictionList } from "./eviction-list";
import { ReasonList } from "./reason-list";
import { useDeviceWords } from "./use-request-words";
import { useStartWords } from "./use-start-words";

/** Why a queued workload waits, who is ahead, when it is expected to start, and what is promised. */
export function WaitingPanel({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const now = useNow();
  const { state, position, reasons, queued_at } = workload;
  if (state !== "queued" || !isBeyondDoubt(workload, now)) return null;
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
        <Outlook workload={workload} />
        <AvoidedPlaces workload={workload} />
        {workload.evictions > 0 && <EvictionList workloadId={workload.id} />}
      </div>
    </Panel>
  );
}

/** What is known about its start. */
function Outlook({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const startWords = useStartWords();
  const { position, expected_start, reservation, pool } = workload;
  const facts: (readonly [string, ReactNode])[] = [];
  if (expected_start) facts.push([t("waiting.expected"), startWords(expected_start)]);
  if (reservation) {
    facts.push([t("waiting.reserved"), <PromisedPlace key="reserved" workload={workload} />]);
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

/** `8 cards on gpu-train-1, at 15:05 at the latest`. */
function PromisedPlace({ workload }: { workload: WorkloadDetail }) {
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
        at: formatWhen(new Date(reservation.starts_at), now, language),
      })}
    </>
  );
}
