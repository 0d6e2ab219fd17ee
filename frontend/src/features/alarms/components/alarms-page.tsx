import { Tabs } from "antd";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin, isStaff } from "@/shared/session/roles";
import { PageHeader } from "@/shared/ui/page";
import { AlarmTable } from "./alarm-table";
import { ChannelsPanel } from "./channels-panel";
import { RulesPanel } from "./rules-panel";
import { SilencesPanel } from "./silences-panel";

/** What fires and has fired; for the platform's staff also what is watched, silenced and notified. */
export function AlarmsPage() {
  const { t } = useTranslation("alarms");
  const me = useMe();
  const items = [
    { key: "firing", label: t("tab.firing"), children: <AlarmTable state="firing" /> },
    { key: "resolved", label: t("tab.resolved"), children: <AlarmTable state="resolved" /> },
    ...(isStaff(me)
      ? [
          { key: "rules", label: t("tab.rules"), children: <RulesPanel /> },
          { key: "silences", label: t("tab.silences"), children: <SilencesPanel /> },
        ]
      : []),
    ...(isPlatformAdmin(me)
      ? [{ key: "channels", label: t("tab.channels"), children: <ChannelsPanel /> }]
      : []),
  ];
  return (
    <>
      <PageHeader title={t("title")} about={t(isStaff(me) ? "aboutStaff" : "about")} />
      <Tabs items={items} destroyOnHidden />
    </>
  );
}
