import { Tabs } from "antd";
import { useTranslation } from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { PageHeader } from "@/shared/ui/page";
import { GroupsTab } from "./groups-tab";
import { PeoplePanel } from "./people-panel";

/** Who may sign in, and who belongs where; heads of groups see groups only. */
export function PeoplePage() {
  const { t } = useTranslation("people");
  const { search, replace } = useAddress();
  const isManager = isPlatformAdmin(useMe());
  return (
    <>
      <PageHeader title={t("title")} about={t(isManager ? "aboutManager" : "about")} />
      {isManager ? (
        <Tabs
          activeKey={search.tab === "groups" ? "groups" : "people"}
          onChange={(tab) => replace(tab === "groups" ? { tab } : {})}
          items={[
            { key: "people", label: t("people"), children: <PeoplePanel /> },
            { key: "groups", label: t("groups"), children: <GroupsTab /> },
          ]}
        />
      ) : (
        <GroupsTab />
      )}
    </>
  );
}
