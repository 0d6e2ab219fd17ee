import { Tabs } from "antd";
import { useTranslation } from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin, isStaff } from "@/shared/session/roles";
import { PageHeader } from "@/shared/ui/page";
import { AlarmList } from "./alarm-list";
import { ChannelsPanel } from "./channels-panel";
import { RulesPanel } from "./rules-panel";
import { SilencesPanel } from "./silences-panel";

const FIRST = "firing";

/** What fires and has fired; for the platform's staff also what is watched, silenced and notified. */
export function AlarmsPage() {
  const { t } = useTranslation("alarms");
  const me = useMe();
  const { search, change } = useAddress();
  const items = [
    { key: FIRST, label: t("tab.firing"), children: <AlarmList state="firing" /> },
    { key: "resolved", label: t("tab.resolved"), children: <AlarmList state="resolved" /> },
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
      <Tabs
        items={items}
        destroyOnHidden
        activeKey={items.find(({ key }) => key === search.tab)?.key ?? FIRST}
        onChange={(key) => change({ tab: key === FIRST ? undefined : key })}
      />
    </>
  );
}
