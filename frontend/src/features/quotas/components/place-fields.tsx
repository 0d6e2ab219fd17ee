import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import { useGroups, usePools } from "@/shared/cluster/api/cluster";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { ALL_POOLS } from "../model/limits";

/** Whom a limit is for, and of which pool; or of all of them together. */
export function PlaceFields() {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const groups = useGroups();
  const pools = usePools();
  return (
    <>
      <Form.Item
        name="group"
        label={t("column.group")}
        rules={[{ required: true, message: t("groupMissing") }]}
      >
        <Select
          showSearch={{ optionFilterProp: "label" }}
          options={groups.data?.map(({ id, title }) => ({ value: id, label: title })) ?? []}
        />
      </Form.Item>
      <Form.Item name="pool" label={t("pool")}>
        <Select
          options={[
            { value: ALL_POOLS, label: t("allPools") },
            ...(pools.data ?? []).map((pool) => ({
              value: pool.id,
              label: titleOf(pool, language),
            })),
          ]}
        />
      </Form.Item>
    </>
  );
}
