import { Form, Input, Select, Switch } from "antd";
import { useTranslation } from "react-i18next";
import styles from "@/shared/submission/components/submission.module.css";
import { Panel } from "@/shared/ui/page";
import { isPast, PRIORITIES } from "../model/draft";

/** How the job stands in the queue and whom it makes way for. */
export function QueueFields() {
  const { t } = useTranslation(["jobs", "workload"]);
  const isOnce = Form.useWatch("restart_rule") === "never";
  const priority: string = Form.useWatch("priority") ?? "normal";
  return (
    <Panel title={t("form.queue")}>
      <Form.Item
        name="preemptible"
        label={t("form.preemptible")}
        extra={t(isOnce ? "form.preemptibleNever" : "form.preemptibleAbout")}
        valuePropName="checked"
      >
        <Switch disabled={isOnce} />
      </Form.Item>
      <div className={styles.row}>
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
      </div>
    </Panel>
  );
}
