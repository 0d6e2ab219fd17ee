import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { GroupRef, Pool } from "@/shared/api/types";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import styles from "./fields.module.css";

interface PlaceFieldsProps {
  groups: readonly GroupRef[];
  pools: readonly Pool[];
}

/** For which group and in which pool; hidden where there is nothing to choose. */
export function PlaceFields({ groups, pools }: PlaceFieldsProps) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  return (
    <div className={styles.row}>
      <Form.Item name="group" label={t("group")} hidden={groups.length < 2}>
        <Select options={groups.map(({ name, title }) => ({ value: name, label: title }))} />
      </Form.Item>
      <Form.Item name="pool" label={t("pool")} hidden={pools.length < 2}>
        <Select
          options={pools.map((pool) => ({ value: pool.name, label: titleOf(pool, language) }))}
        />
      </Form.Item>
    </div>
  );
}
