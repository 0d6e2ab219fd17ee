import type { Approval, Quota } from "@/shared/api/types";
import { usePools, useQuotas } from "@/shared/cluster/api/cluster";
import { formatAmount } from "@/shared/cluster/model/quotas";
import { formatDuration, formatMoment, formatNumber, formatSpan } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { WorkloadLink } from "@/shared/workload/components/workload-link";
import { type AskedValue, askedReservation, askedValues } from "../model/requests";

/** What is requested: of which work, member or quota, from which value to which, and why. */
export function RequestWords({ request }: { request: Approval }) {
  const { t } = useTranslation("approvals");
  const say = useValueWords(request);
  return (
    <>
      <strong>{t(`kind.${request.kind}`)}</strong> <RequestSubject request={request} />
      {request.kind === "reservation" ? (
        <AskedReservation request={request} />
      ) : (
        askedValues(request).map((value) => (
          <span key={`${value.name} ${value.quota}`} className="second num">
            {say(value)}
          </span>
        ))
      )}
      {request.comment && <span className="second">“{request.comment}”</span>}
    </>
  );
}

function RequestSubject({ request: { workload, group } }: { request: Approval }) {
  const language = useLanguage();
  if (!workload) return <>{titleOf(group, language)}</>;
  return <WorkloadLink workload={workload} />;
}

function AskedReservation({ request }: { request: Approval }) {
  const { t } = useTranslation("approvals");
  const language = useLanguage();
  const asked = askedReservation(request);
  const pool = usePools().data?.find(({ id }) => id === asked.pool);
  const words = { name: asked.name, pool: pool ? titleOf(pool, language) : "–" };
  const span = formatSpan(new Date(asked.starts_at), new Date(asked.ends_at), language);
  const until = asked.weekly_until && formatMoment(new Date(asked.weekly_until), language);
  return (
    <>
      <span className="second num">
        {asked.gpus > 0
          ? t("reserved.gpus", { ...words, count: asked.gpus })
          : t("reserved.slices", { ...words, count: asked.slices })}
      </span>
      <span className="second num">{until ? t("reserved.weekly", { span, until }) : span}</span>
    </>
  );
}

const PRIORITIES: Record<number, "low" | "normal" | "high"> = {
  [-100]: "low",
  0: "normal",
  100: "high",
};

function useValueWords(request: Approval): (value: AskedValue) => string {
  const { t } = useTranslation(["approvals", "workload"]);
  const coded = useCodedText();
  const language = useLanguage();
  const quotas = useQuotas(null).data ?? [];
  const amount = (value: AskedValue, of: number | null): string => {
    if (of === null) return t("noLimit");
    if (value.name.startsWith("time_limit_s")) return formatDuration(of, language);
    if (value.name === "priority_max") return t(`workload:priority.${PRIORITIES[of] ?? "normal"}`);
    const resource = resourceOf(value, request, quotas);
    return resource ? formatAmount(resource, of, language) : formatNumber(of, language);
  };
  return (value) => {
    const resource = resourceOf(value, request, quotas);
    const pool = quotas.find(({ id }) => id === value.quota)?.pool ?? request.quota?.pool;
    const what = resource
      ? [coded(`cluster:quota.resource.${resource}`) ?? resource, pool && titleOf(pool, language)]
          .filter(Boolean)
          .join(" · ")
      : (coded(`approvals:value.${value.name}`) ?? value.name);
    return t("fromTo", {
      what,
      before: amount(value, value.before),
      asked: amount(value, value.asked),
    });
  };
}

/** The resource that an amount is of; null for times and counts. */
function resourceOf(value: AskedValue, request: Approval, quotas: readonly Quota[]): string | null {
  if (value.name !== "ceiling") return null;
  const found = quotas.find(({ id }) => id === value.quota);
  return found?.resource ?? request.quota?.resource ?? null;
}
