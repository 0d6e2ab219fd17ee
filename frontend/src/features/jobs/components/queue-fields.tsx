import { Form, Input, Select, Switch } from "antd";
import { useTranslation } from "react-i18next";
import { CountField } from "@/shared/submission/components/count-field";
import fields from "@/shared/submission/components/fields.module.css";
import { Panel } from "@/shared/ui/panel";
import { isPast, PRIORITIES } from "../model/draft";

const RETRIES_MAX = 10;

/** How the job stands in the queue, whom it makes way for, and what happens after a failure. */
export function QueueFields() {
  const { t } = useTranslation(["jobs", "workload"]);
  const priority: string = Form.useWatch("priority") ?? "normal";
  return (
    <Panel title={t("form.queue")}>
      <Form.Item
        name="preemptible"
        label={t("form.preemptible")}
        extra={t("form.preemptibleAbout")}
        valuePropName="checked"
      >
        <Switch />
      </Form.Item>
      <div className={fields.row}>
        <Form.Item name="priority" label={t("form.priority")} extra={t("form.priorityAbout")}>
          <Select
            options={PRIORITIES.map((value) => ({ value, label: t(`workload:priority.${value}`) }))}
          />
        </Form.Item>
        <Form.Item
          name="priority_until"
          label={t("form.priorityUntil")}
          extra={t("form.priorityUntilAbout")}
          hidden={priority === "normal"}
          rules={[
            {
              validator: (_rule, local: string) =>
                isPast(local, new Date())
                  ? Promise.reject(new Error(t("form.past")))
                  : Promise.resolve(),
            },
          ]}
        >
          <Input type="datetime-local" />
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
