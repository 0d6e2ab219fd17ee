import { useNavigate } from "@tanstack/react-router";
import { Select } from "antd";
import { useTranslation } from "react-i18next";
import { useMe } from "@/shared/session/me";
import { useChosenGroup } from "@/shared/session/search-params";

const ALL = "";

/** Which of my groups the pages show; with only one there is nothing to choose. */
export function GroupSwitcher() {
  const { t } = useTranslation("app");
  const { memberships } = useMe();
  const chosen = useChosenGroup();
  const navigate = useNavigate();
  const [only, ...others] = memberships;
  if (only && others.length === 0) return <strong>{only.group.title}</strong>;
  if (!only) return null;
  return (
    <Select
      variant="borderless"
      aria-label={t("group")}
      popupMatchSelectWidth={false}
      value={chosen ?? ALL}
      onChange={(group) =>
        void navigate({ to: ".", search: (old) => ({ ...old, group: group || undefined }) })
      }
      options={[
        { value: ALL, label: t("allGroups") },
        ...memberships.map(({ group }) => ({ value: group.id, label: group.title })),
      ]}
    />
  );
}
