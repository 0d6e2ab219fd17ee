/** The state of a service and its promise in words. */
import {
  CloseCircleFilled,
  LoadingOutlined,
  PauseCircleOutlined,
  PlayCircleFilled,
  WarningOutlined,
} from "@ant-design/icons";
import type { ComponentType } from "react";
import type { Service } from "@/shared/api/types";
import { formatDuration, formatMilli, formatNumber } from "@/shared/i18n/format";
import { useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useKnownReason } from "@/shared/workload/components/sentences";
import { LOOK_OF } from "../model/service";

const ICONS: Record<Service["status"], ComponentType<{ "aria-hidden": true }>> = {
  stopped: PauseCircleOutlined,
  stopping: LoadingOutlined,
  at_zero: PauseCircleOutlined,
  starting: LoadingOutlined,
  ready: PlayCircleFilled,
  updating: LoadingOutlined,
  degraded: WarningOutlined,
  failed: CloseCircleFilled,
};

/** A state as colour, icon and word. */
export function ServiceStatusTag({ status }: { status: Service["status"] }) {
  const { t } = useTranslation("services");
  const Icon = ICONS[status];
  const color = `var(--state-${LOOK_OF[status]})`;
  return (
    <span style={{ color, fontWeight: 500, whiteSpace: "nowrap" }}>
      <Icon aria-hidden /> {t(`status.${status}`)}
    </span>
  );
}

const REASONS: Partial<Record<Service["status"], "at_zero" | "failed" | "updating" | "fewer">> = {
  at_zero: "at_zero",
  failed: "failed",
  updating: "updating",
  starting: "fewer",
  degraded: "fewer",
};

/** Why it is in this state, with the numbers; nothing where its state says it all. */
export function useStatusReason(): (service: Service) => string {
  const { t } = useTranslation("services");
  const refused = useRefusalWords();
  return ({ status, replicas, revision, refusal }) => {
    if (refusal) return t("why.refused", { why: refused(refusal) });
    const key = REASONS[status];
    return key ? t(`why.${key}`, { revision, ...replicas }) : "";
  };
}

/** The sentence for a code of a refusal, with its parameters. */
export function useRefusalWords(): (refusal: NonNullable<Service["refusal"]>) => string {
  const coded = useCodedText();
  const known = useKnownReason();
  return ({ code, params }) => {
    const given = params as Record<string, unknown>;
    return coded(`api:problem.${code}`, given) ?? known({ code, params: given as never }) ?? code;
  };
}

/** What it promises: `Latency: first token within 2 s`. */
export function usePromiseWords(): (
  service: Pick<Service, "quality" | "target_ms" | "is_first_token" | "rate_milli">,
) => string {
  const { t } = useTranslation("services");
  const language = useLanguage();
  return ({ quality, target_ms, is_first_token, rate_milli }) => {
    if (quality === "latency") {
      const within = millisWords(target_ms ?? 0, language);
      return t(is_first_token ? "promise.first_token" : "promise.latency", { within });
    }
    if (rate_milli === 0) return t("promise.any");
    return t("promise.rate", { rate: formatMilli(rate_milli, language) });
  };
}

const SECOND_MS = 1000;

/** `250 ms`, `2.5 s`, `2 min`. */
export function millisWords(millis: number, language: string): string {
  if (millis < SECOND_MS) return `${formatNumber(millis, language, 0)} ms`;
  const seconds = millis / SECOND_MS;
  return seconds < 60 && millis % SECOND_MS !== 0
    ? `${formatNumber(seconds, language)} s`
    : formatDuration(seconds, language);
}
