/** What an alarm is about, in words and with a link. */
import { Link } from "@tanstack/react-router";
import { Tag } from "antd";
import type { Alarm } from "@/shared/api/types";
import { useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { WorkloadLink } from "@/shared/workload/components/workload-link";
import { SEVERITY_COLOURS, valueText, xidOf } from "../model/alarms";

type RuleRef = Pick<Alarm["rule"], "kind" | "name">;

/** The name that its maker gave a rule, else what it watches. */
export function useRuleName(): (rule: RuleRef) => string {
  const { t } = useTranslation("alarms");
  return ({ kind, name }) => name || t(`kind.${kind}`);
}

export function SeverityTag({ severity }: { severity: Alarm["rule"]["severity"] }) {
  const { t } = useTranslation("alarms");
  return <Tag color={SEVERITY_COLOURS[severity]}>{t(`severity.${severity}`)}</Tag>;
}

/** The subject, leading to its page where it has one. */
export function AlarmSubject({ alarm }: { alarm: Alarm }) {
  const { subject_type: type, subject_id: id, subject_name: name, node_id: node } = alarm;
  if (type === "workload") {
    return <WorkloadLink workload={{ id, name, kind: alarm.work_kind }} />;
  }
  if (node) {
    return (
      <Link to="/nodes/$id" params={{ id: node }}>
        {name}
      </Link>
    );
  }
  if (type === "budget") return <Link to="/quotas">{name}</Link>;
  if (type === "volume") return <Link to="/volumes">{name}</Link>;
  return <>{name}</>;
}

/** The value with its unit, and what the fault or the node says. */
export function AlarmValue({ alarm }: { alarm: Alarm }) {
  const language = useLanguage();
  const value = valueText(alarm, language);
  const detail = useDetail(alarm);
  return (
    <>
      {value && <span className="num">{value}</span>}
      {value && detail && " · "}
      {detail && <span className="second">{detail}</span>}
    </>
  );
}

function useDetail({ rule, detail }: Alarm): string {
  const { t } = useTranslation(["alarms", "nodes"]);
  const coded = useCodedText();
  if (rule.kind === "node_silent") return t(detail === "lost" ? "nodeLost" : "nodeUnready");
  if (rule.kind === "budget_near") return coded(`alarms:period.${detail}`) ?? detail;
  if (rule.kind !== "gpu_fault") return detail;
  const number = xidOf(detail);
  if (number) return t("nodes:cardXid", { number });
  return coded(`nodes:cardFault.${detail}`) ?? t("cardOut");
}
