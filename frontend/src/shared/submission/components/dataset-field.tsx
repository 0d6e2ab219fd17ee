import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { GroupRef } from "@/shared/api/types";
import { useDatasets } from "@/shared/cluster/api/use-datasets";

const DATASETS_MAX = 16;

/** The data sets of the group to choose from; no field where there are none. */
export function DatasetField({ group }: { group: GroupRef | undefined }) {
  const { t } = useTranslation("submission");
  const datasets = useDatasets(group?.id).data ?? [];
  if (datasets.length === 0) return null;
  return (
    <Form.Item name="datasets" label={t("datasets")} extra={t("datasetsAbout")}>
      <Select
        mode="multiple"
        maxCount={DATASETS_MAX}
        allowClear
        options={datasets.map(({ name, description }) => ({
          value: name,
          label: name,
          title: description,
        }))}
      />
    </Form.Item>
  );
}
