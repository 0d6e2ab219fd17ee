import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import { CountField } from "@/shared/submission/components/count-field";
import fields from "@/shared/submission/components/fields.module.css";
import { Panel } from "@/shared/ui/panel";
import { PRIORITIES } from "../model/draft";

const RETRIES_MAX = 10;

/** How the job stands in the queue, and what happens after a failure. */
export function QueueFields() {
  const { t } = useTranslation("jobs");
  return (
    <Panel title={t("form.queue")}>
      <div className={fields.row}>
        <Form.Item name="priority" label={t("form.priority")} extra={t("form.priorityAbout")}>
          <Select options={PRIORITIES.map((value) => ({ value, label: t(`priority.${value}`) }))} />
        </Form.Item>
        <CountField
          name="retries_max"
          label={t("form.retries")}
          min={0}
          max={RETRIES_MAX}
          help={t("form.retriesAbout")}
        />
      </div>
    </Panel>
  );
}
