import { Form, Input, InputNumber, Radio, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { StudyInput } from "@/shared/api/types";
import { useCreateStudy, useGroups, useNodes, usePools } from "@/shared/cluster/api/cluster";
import { titleOf, titleOptions, useLanguage } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { type StudyForm, studyInput } from "../model/studies";

const DAYS = [7, 14, 31];
const NODES_MAX = 1000;
const GPUS_MAX = 100_000;

/** A study of more servers or another limit of a group; a pool's policy page starts one of its rules. */
export function StudyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("studies");
  const ask = useCreateStudy();
  return (
    <EntityDialog<StudyForm, StudyInput>
      title={t("ask")}
      action={t("tell")}
      initial={{ days: 14, kind: "nodes", count: 1 }}
      save={ask}
      bodyOf={studyInput}
      onClose={onClose}
    >
      <Form.Item name="title" label={t("column.question")} extra={t("titleAbout")}>
        <Input maxLength={100} autoComplete="off" />
      </Form.Item>
      <Form.Item name="days" label={t("column.days")}>
        <Radio.Group
          optionType="button"
          options={DAYS.map((days) => ({ value: days, label: t("lastDays", { count: days }) }))}
        />
      </Form.Item>
      <Form.Item name="kind" label={t("change")} extra={t("rulesElsewhere")}>
        <Radio.Group
          options={[
            { value: "nodes", label: t("kind.nodes") },
            { value: "quota", label: t("kind.quota") },
          ]}
        />
      </Form.Item>
      <ChangeFields />
    </EntityDialog>
  );
}

function ChangeFields() {
  const kind: StudyForm["kind"] = Form.useWatch("kind") ?? "nodes";
  return kind === "nodes" ? <NodeFields /> : <QuotaFields />;
}

function NodeFields() {
  const { t } = useTranslation("studies");
  const nodes = useNodes().data ?? [];
  return (
    <>
      <Form.Item
        name="like"
        label={t("like")}
        rules={[{ required: true, message: t("likeMissing") }]}
      >
        <Select
          showSearch={{ optionFilterProp: "label" }}
          options={nodes.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Form.Item>
      <Form.Item name="count" label={t("count")} rules={[{ required: true }]}>
        <InputNumber min={1} max={NODES_MAX} precision={0} />
      </Form.Item>
    </>
  );
}

function QuotaFields() {
  const { t } = useTranslation("studies");
  const language = useLanguage();
  const groups = useGroups().data ?? [];
  const pools = usePools().data ?? [];
  return (
    <>
      <Form.Item
        name="group"
        label={t("group")}
        rules={[{ required: true, message: t("groupMissing") }]}
      >
        <Select
          showSearch={{ optionFilterProp: "label" }}
          options={titleOptions(groups, language)}
        />
      </Form.Item>
      <Form.Item
        name="pool"
        label={t("pool")}
        rules={[{ required: true, message: t("poolMissing") }]}
      >
        <Select
          options={pools.map((pool) => ({ value: pool.id, label: titleOf(pool, language) }))}
        />
      </Form.Item>
      <Form.Item name="deserved" label={t("limit.deserved")} extra={t("gpusAbout")}>
        <InputNumber min={0} max={GPUS_MAX} />
      </Form.Item>
      <Form.Item name="ceiling" label={t("limit.ceiling")} extra={t("gpusAbout")}>
        <InputNumber min={0} max={GPUS_MAX} />
      </Form.Item>
    </>
  );
}
