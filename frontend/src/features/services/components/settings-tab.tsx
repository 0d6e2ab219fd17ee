import { Button } from "antd";
import { useState } from "react";
import type { ServiceDetail } from "@/shared/api/types";
import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canChange } from "@/shared/session/roles";
import { later } from "@/shared/ui/opening";
import { Facts, Panel } from "@/shared/ui/page";
import { replicaRange } from "../model/service";
import { usePromiseWords } from "./service-marks";

const LaterSettingsDialog = later(async () => (await import("./settings-dialog")).SettingsDialog);

/** What it promises, and between which bounds; changed without a new revision. */
export function SettingsTab({ service }: { service: ServiceDetail }) {
  const { t } = useTranslation("services");
  const [isChanging, setChanging] = useState(false);
  const change = canChange(useMe(), service) && (
    <Button size="small" onClick={() => setChanging(true)}>
      {t("settings.change")}
    </Button>
  );
  return (
    <Panel title={t("tab.settings")} extra={change}>
      <SettingsFacts service={service} />
      {isChanging && <LaterSettingsDialog service={service} onClose={() => setChanging(false)} />}
    </Panel>
  );
}

function SettingsFacts({ service }: { service: ServiceDetail }) {
  const { t } = useTranslation("services");
  const language = useLanguage();
  const promise = usePromiseWords();
  const { replicas, zero_after_s, hold_max, hold_deadline_s, drain_s, quality } = service;
  const duration = (seconds: number) => formatDuration(seconds, language);
  return (
    <Facts
      facts={[
        [t("column.quality"), `${t(`quality.${quality}`)} · ${promise(service)}`],
        [t("column.replicas"), replicaRange(replicas)],
        ...(replicas.min === 0 ? [[t("terms.zero"), duration(zero_after_s)] as const] : []),
        [t("terms.holdMax"), formatNumber(hold_max, language, 0)],
        [t("terms.holdDeadline"), duration(hold_deadline_s)],
        [t("terms.drain"), duration(drain_s)],
      ]}
    />
  );
}
