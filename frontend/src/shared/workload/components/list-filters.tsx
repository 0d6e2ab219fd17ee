import { Checkbox, Input, Radio } from "antd";
import { useTranslation } from "react-i18next";
import { type ListSearch, SHOWN, type Shown } from "../model/list-search";
import styles from "./list-filters.module.css";

interface ListFiltersProps {
  search: ListSearch;
  onChange: (search: ListSearch) => void;
}

/** The filters above a list; the address is their memory. */
export function ListFilters({ search, onChange }: ListFiltersProps) {
  const { t } = useTranslation("workload");
  return (
    <search className={styles.filters}>
      <Radio.Group
        optionType="button"
        aria-label={t("filter.show")}
        value={search.show ?? "active"}
        onChange={({ target }) => onChange({ ...search, show: target.value as Shown })}
        options={SHOWN.map((value) => ({ value, label: t(`filter.${value}`) }))}
      />
      <Checkbox
        checked={search.mine ?? false}
        onChange={({ target }) => onChange({ ...search, mine: target.checked || undefined })}
      >
        {t("filter.mine")}
      </Checkbox>
      <Input.Search
        allowClear
        className={styles.search ?? ""}
        aria-label={t("filter.search")}
        placeholder={t("filter.search")}
        defaultValue={search.q}
        onSearch={(q) => onChange({ ...search, q: q || undefined })}
      />
    </search>
  );
}
