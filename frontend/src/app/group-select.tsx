import { Select } from "antd";
import type { GroupRef } from "@/shared/api/types";
import { titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";

const ALL = "";

interface GroupSelectProps {
  groups: readonly GroupRef[];
  chosen: string | null;
  onChoose: (group: string | undefined) => void;
}

/** Chooses which of the reader's groups the pages show. */
export function GroupSelect({ groups, chosen, onChoose }: GroupSelectProps) {
  const language = useLanguage();
  const { t } = useTranslation("app");
  return (
    <Select
      variant="borderless"
      aria-label={t("group")}
      popupMatchSelectWidth={false}
      value={chosen ?? ALL}
      onChange={(group) => onChoose(group || undefined)}
      options={[{ value: ALL, label: t("allGroups") }, ...titleOptions(groups, language)]}
    />
  );
}
