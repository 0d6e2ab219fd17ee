/** What an alarm is about, in words and with a link. */
import { Link } from "@tanstack/react-router";
import { Tag } from "antd";
import type { Alarm } from "@/shared/api/types";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
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

/** What an alarm and the trial of a rule have in common. */
type AlarmAbout = Pick<
  Alarm,
  "subject_type" | "subject_name" | "detail" | "value" | "group" | "pool"
> & { rule: Pick<Alarm["rule"], "kind"> };

interface AlarmWords {
  /** What it is about: the title of a group whose limit it is, else a name. */
  subject: (alarm: AlarmAbout) => string;
  /** What the fault or the node says, or which limit it is. */
  detail: (alarm: AlarmAbout) => string;
  /** The value with its unit, and the detail. */
  value: (alarm: AlarmAbout) => string;
}

/** What alarms say, wherever they are shown. */
export function useAlarmWords(): AlarmWords {
  const language = useLanguage();
  const detail = useDetailWords();
  return {
    subject: (alarm) =>
      alarm.group && isLimit(alarm) ? titleOf(alarm.group, language) : alarm.subject_name,
    detail,
    value: (alarm) => [valueText(alarm, language), detail(alarm)].filter(Boolean).join(" · "),
  };
}

function useDetailWords(): AlarmWords["detail"] {
  const { t } = useTranslation("alarms");
  const faultOf = useGpuFaultWords();
  const coded = useCodedText();
  const language = useLanguage();
  const poolOf = ({ pool }: AlarmAbout) => (pool ? titleOf(pool, language) : t("limitOfAllPools"));
  return (alarm) => {
    const { rule, detail } = alarm;
    switch (rule.kind) {
      case "node_silent":
        return t(detail === "lost" ? "nodeLost" : "nodeUnready");
      case "work_held":
        return t("evictedTimes", { count: Number(detail) });
      case "budget_near":
        return [coded(`alarms:period.${detail}`) ?? detail, poolOf(alarm)].join(" · ");
      case "quota_near": {
        const [resource = "", ...model] = detail.split(" ");
        const words = coded(`cluster:quota.resource.${resource}`) ?? resource;
        return [words, model.join(" "), poolOf(alarm)].filter(Boolean).join(" · ");
      }
      case "gpu_fault":
        return faultOf(detail);
      default:
        return detail;
    }
  };
}

function useGpuFaultWords(): (fault: string) => string {
  const { t } = useTranslation(["alarms", "nodes"]);
  const coded = useCodedText();
  return (fault) => {
    const number = xidOf(fault);
    if (number) return t("nodes:cardXid", { number });
    return coded(`nodes:cardFault.${fault}`) ?? t("cardOut");
  };
}

function isLimit({ subject_type: type }: Pick<Alarm, "subject_type">): boolean {
  return type === "quota" || type === "budget";
}

/** The subject, leading to its page where it has one. */
export function AlarmSubject({ alarm }: { alarm: Alarm }) {
  const { subject_type: type, subject_id: id, work_kind: kind, node_id: node } = alarm;
  const name = useAlarmWords().subject(alarm);
  if (type === "workload") return <WorkloadLink workload={{ id, name, kind }} />;
  if (node) {
    return (
      <Link to="/nodes/$id" params={{ id: node }}>
        {name}
      </Link>
    );
  }
  if (isLimit(alarm)) return <Link to="/quotas">{name}</Link>;
  if (type === "volume") return <Link to="/volumes">{name}</Link>;
  return <>{name}</>;
}

/** The value with its unit, and the detail. */
export function AlarmValue({ alarm }: { alarm: Alarm }) {
  const value = valueText(alarm, useLanguage());
  const detail = useAlarmWords().detail(alarm);
  return (
    <>
      {value && <span className="num">{value}</span>}
      {value && detail && " · "}
      {detail && <span className="second">{detail}</span>}
    </>
  );
}
