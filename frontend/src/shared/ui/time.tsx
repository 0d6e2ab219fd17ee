/** Moments and durations that count on by themselves. */
import { useSyncExternalStore } from "react";
import {
  formatAge,
  formatDeadline,
  formatDuration,
  formatMoment,
  formatMomentOf,
  formatWhen,
} from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Hinted } from "./opening";

const JUST_NOW_MS = 5_000;
const MINUTE_S = 60;

/** How long ago a moment was; the exact time on hover. A dash when it has not happened. */
export function Age({ at }: { at: string | null }) {
  const { t } = useTranslation("ui");
  const language = useLanguage();
  const now = useNow();
  if (!at) return <>–</>;
  const moment = new Date(at);
  const age = now.getTime() - moment.getTime();
  return (
    <Hinted title={formatMoment(moment, language)}>
      <time dateTime={at} className="num">
        {/* The clock of the page and that of the server differ a little. */}
        {Math.abs(age) < JUST_NOW_MS ? t("justNow") : formatAge(moment, now, language)}
      </time>
    </Hinted>
  );
}

interface DeadlineProps {
  at: string | null;
  /** In a column of moments. */
  isUnderZone?: boolean;
}

/** When something ends at the latest: clock time with its zone, and how long that is from now. */
export function Deadline({ at, isUnderZone = false }: DeadlineProps) {
  const language = useLanguage();
  const now = useNow();
  if (!at) return <>–</>;
  return (
    <span className="num">
      {(isUnderZone ? formatWhen : formatDeadline)(new Date(at), now, language)} · <Age at={at} />
    </span>
  );
}

/** An exact moment in a column of moments, whose head names the zone. */
export function Moment({ at }: { at: string | null }) {
  const language = useLanguage();
  const now = useNow();
  if (!at) return <>–</>;
  return (
    <time dateTime={at} className="num">
      {formatMomentOf(new Date(at), now, language)}
    </time>
  );
}

interface ElapsedProps {
  since: string;
  until?: string | null;
  /** In whole minutes: `6 min`. */
  isCoarse?: boolean;
}

/** Time from `since` to `until`, or still counting. */
export function Elapsed({ since, until, isCoarse = false }: ElapsedProps) {
  const language = useLanguage();
  const now = useNow();
  const end = until ? new Date(until) : now;
  const seconds = (end.getTime() - new Date(since).getTime()) / 1000;
  const shown = isCoarse && seconds >= MINUTE_S ? seconds - (seconds % MINUTE_S) : seconds;
  return <span className="num">{formatDuration(shown, language)}</span>;
}

/** How long it is until then, counting down; nothing once it is over. */
export function Remaining({ until }: { until: string }) {
  const { t } = useTranslation("ui");
  const language = useLanguage();
  const now = useNow();
  const moment = new Date(until);
  const seconds = Math.max(0, (moment.getTime() - now.getTime()) / 1000);
  return (
    <Hinted title={formatMoment(moment, language)}>
      <time dateTime={until} className="num">
        {t("remaining", { time: formatDuration(seconds, language) })}
      </time>
    </Hinted>
  );
}

/** Whole minutes until then, rounded up; never less than none. */
export function minutesUntil(at: string, now: Date): number {
  return Math.max(0, Math.ceil((new Date(at).getTime() - now.getTime()) / 60_000));
}

const TICK_MS = 1_000;

let current = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time of day, renewed every second by one timer for the whole page. */
export function useNow(): Date {
  return new Date(useSyncExternalStore(subscribe, () => current));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    current = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  current = Date.now();
  for (const listener of listeners) listener();
}
