import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isGroupAdmin, isPlatformAdmin, isStaff } from "@/shared/session/roles";
import { prefetched } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { PageTabs } from "@/shared/ui/page-tabs";
import { AlarmList } from "./alarm-list";

const LaterRules = prefetched(async () => (await import("./rules-panel")).RulesPanel);
const LaterSilences = prefetched(async () => (await import("./silences-panel")).SilencesPanel);
const LaterChannels = prefetched(async () => (await import("./channels-panel")).ChannelsPanel);

/** What fires and has fired; also what is watched, for staff with silences and channels, for groups their own. */
export function AlarmsPage() {
  const { t } = useTranslation("alarms");
  const me = useMe();
  const tabs = [
    { key: "firing", label: t("tab.firing"), content: <AlarmList state="firing" /> },
    { key: "resolved", label: t("tab.resolved"), content: <AlarmList state="resolved" /> },
    ...(isStaff(me) || isGroupAdmin(me)
      ? [{ key: "rules", label: t("tab.rules"), content: <LaterRules /> }]
      : []),
    ...(isStaff(me)
      ? [{ key: "silences", label: t("tab.silences"), content: <LaterSilences /> }]
      : []),
    ...(isPlatformAdmin(me)
      ? [{ key: "channels", label: t("tab.channels"), content: <LaterChannels /> }]
      : []),
  ];
  return (
    <>
      <PageHeader title={t("title")} about={t(isStaff(me) ? "aboutStaff" : "about")} />
      <PageTabs label={t("title")} tabs={tabs} />
    </>
  );
}
