import { Form, Input, Select } from "antd";
import type { Alarm, AlarmSilenceInput } from "@/shared/api/types";
import { usePools } from "@/shared/cluster/api/cluster";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useAlarmRules, useSilence } from "../api/alarms";
import { useAlarmWords, useRuleName } from "./alarm-words";

const REASON_MAX = 300;
const HOURS = [1, 4, 24, 72, 168, 720] as const;
const HOUR_MS = 3_600_000;
/** The server refuses more than 30 days from its own now; clocks differ a little. */
const EARLY_MS = 60_000;

interface SilenceFields {
  hours: (typeof HOURS)[number];
  reason: string;
  rule?: string;
  pool?: string;
}

interface SilenceDialogProps {
  /** Whose rule and subject are silenced; without one, rule and pool are chosen. */
  alarm?: Alarm;
  onClose: () => void;
}

/** Notifies nobody and does nothing for some time; what fires is still shown. */
export function SilenceDialog({ alarm, onClose }: SilenceDialogProps) {
  const { t } = useTranslation("alarms");
  const ruleName = useRuleName();
  const words = useAlarmWords();
  return (
    <EntityDialog<SilenceFields, AlarmSilenceInput>
      title={t("silenceTitle")}
      action={t("silence")}
      initial={{ hours: 4 }}
      save={useSilence()}
      bodyOf={({ hours, reason, rule, pool }) => ({
        until: new Date(Date.now() + hours * HOUR_MS - EARLY_MS).toISOString(),
        reason: reason.trim(),
        rule: alarm?.rule.id ?? rule ?? null,
        pool: pool ?? null,
        alarm: alarm?.id ?? null,
      })}
      onClose={onClose}
    >
      {alarm && (
        <p>
          {ruleName(alarm.rule)}: {words.subject(alarm)}
        </p>
      )}
      <p className="quiet">{t("silenceAbout")}</p>
      {!alarm && <SilenceScopeFields />}
      <Form.Item name="hours" label={t("silenceFor")}>
        <Select options={HOURS.map((value) => ({ value, label: t(`hours.${value}`) }))} />
      </Form.Item>
      <Form.Item
        name="reason"
        label={t("silenceReason")}
        rules={[{ required: true, whitespace: true, message: t("silenceReasonMissing") }]}
      >
        <Input maxLength={REASON_MAX} autoComplete="off" />
      </Form.Item>
    </EntityDialog>
  );
}

function SilenceScopeFields() {
  const { t } = useTranslation("alarms");
  const ruleName = useRuleName();
  const language = useLanguage();
  const rules = useAlarmRules().data?.rules ?? [];
  const pools = usePools().data ?? [];
  return (
    <>
      <Form.Item name="rule" label={t("rule")}>
        <Select
          allowClear
          placeholder={t("allRules")}
          options={rules.map((rule) => ({ value: rule.id, label: ruleName(rule) }))}
        />
      </Form.Item>
      <Form.Item name="pool" label={t("pool")}>
        <Select
          allowClear
          placeholder={t("allPools")}
          options={pools.map((pool) => ({ value: pool.id, label: titleOf(pool, language) }))}
        />
      </Form.Item>
    </>
  );
}
