import { Form, Input, Radio, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { Dataset, DatasetInput } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { titleOptions, useLanguage } from "@/shared/i18n/language";
import { EntityDialog, EntityName } from "@/shared/ui/entity-dialog";
import { useSaveDataset } from "../api/datasets";
import {
  DATASET_NAME,
  type DatasetForm,
  datasetForm,
  datasetInput,
  isBelow,
} from "../model/dataset";

interface DatasetDialogProps {
  /** The one to change; none adds another. */
  dataset: Dataset | undefined;
  onClose: () => void;
}

/** Names a folder that every node has, and the groups that may read it. */
export function DatasetDialog({ dataset, onClose }: DatasetDialogProps) {
  const { t } = useTranslation("datasets");
  const save = useSaveDataset(dataset?.id);
  return (
    <EntityDialog<DatasetForm, DatasetInput>
      action={t("save")}
      title={dataset ? t("editTitle", { name: dataset.name }) : t("add")}
      initial={dataset ? datasetForm(dataset) : { readers: "groups" }}
      save={save}
      bodyOf={datasetInput}
      onClose={onClose}
    >
      <EntityName
        label={t("column.name")}
        about={t("nameAbout")}
        pattern={DATASET_NAME}
        message={t("nameWrong")}
        isFixed={dataset !== undefined}
      />
      <Form.Item
        name="path"
        label={t("column.path")}
        extra={t("pathAbout")}
        rules={[
          {
            required: true,
            validator: (_rule, path: string = "") =>
              isBelow(path) ? Promise.resolve() : Promise.reject(new Error(t("pathWrong"))),
          },
        ]}
      >
        <Input
          autoComplete="off"
          spellCheck={false}
          maxLength={400}
          placeholder="vision/imagenet"
        />
      </Form.Item>
      <Form.Item name="description" label={t("column.description")}>
        <Input.TextArea maxLength={300} showCount autoSize={{ minRows: 2, maxRows: 4 }} />
      </Form.Item>
      <Readers />
    </EntityDialog>
  );
}

/** All groups, or some with all groups below them. */
function Readers() {
  const language = useLanguage();
  const { t } = useTranslation("datasets");
  const groups = useGroups();
  const readers: DatasetForm["readers"] = Form.useWatch("readers") ?? "groups";
  return (
    <>
      <Form.Item name="readers" label={t("column.readers")}>
        <Radio.Group
          options={[
            { value: "groups", label: t("someGroups") },
            { value: "everybody", label: t("everybody") },
          ]}
        />
      </Form.Item>
      <Form.Item
        name="groups"
        label={t("groups")}
        extra={t("groupsAbout")}
        hidden={readers === "everybody"}
      >
        <Select
          mode="multiple"
          showSearch={{ optionFilterProp: "label" }}
          options={titleOptions(groups.data, language)}
        />
      </Form.Item>
    </>
  );
}
