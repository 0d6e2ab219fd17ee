import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { prefetched } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { PageTabs } from "@/shared/ui/page-tabs";
import { PeoplePanel } from "./people-panel";

const LaterGroups = prefetched(async () => (await import("./groups-tab")).GroupsTab);

/** Who may sign in, and who belongs where; heads of groups see groups only. */
export function PeoplePage() {
  const { t } = useTranslation("people");
  const isManager = isPlatformAdmin(useMe());
  const groups = { key: "groups", label: t("groups"), content: <LaterGroups /> };
  const people = { key: "people", label: t("people"), content: <PeoplePanel /> };
  return (
    <>
      <PageHeader title={t("title")} about={t(isManager ? "aboutManager" : "about")} />
      <PageTabs
        label={t("title")}
        tabs={isManager ? [people, groups] : [groups]}
        own={["person", "sort", "view"]}
      />
    </>
  );
}
