import { Select } from "antd";
import { useTranslation } from "@/shared/i18n/language";

interface OpenedChoiceProps {
  label: string;
  value: string | undefined;
  options: { value: string; label: string }[];
  onChoose: (value: string | undefined) => void;
}

/** One of some words, found by typing; its list of choices is the library's. */
export function OpenedChoice({ label, value, options, onChoose }: OpenedChoiceProps) {
  const { t } = useTranslation("lists");
  return (
    <Select<string>
      allowClear
      aria-label={label}
      placeholder={t("filters.any")}
      showSearch={{ optionFilterProp: "label" }}
      {...(value !== undefined && { value })}
      options={options}
      onChange={(chosen?: string) => onChoose(chosen)}
    />
  );
}
