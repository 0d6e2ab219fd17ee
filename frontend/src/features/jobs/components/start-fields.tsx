import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input, Select, Switch } from "antd";
import { JOB } from "@/shared/api/kinds.gen";
import { momentAt } from "@/shared/i18n/clock";
import { formatMoment } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { FormFold } from "@/shared/submission/components/form-fold";
import styles from "@/shared/submission/components/submission.module.css";
import { useWorkloads } from "@/shared/workload/api/workloads";
import { isPast, type JobFormValues } from "../model/job-form";
import { DEPENDENCY_TYPES, isArrayText } from "../model/start";
import own from "./jobs.module.css";

const DEPENDENCIES_MAX = 64;

/** Many tasks of one program. */
export function ArrayFold() {
  const { t } = useTranslation("jobs");
  return (
    <FormFold title={t("start.array")} digest={Form.useWatch("array") || t("start.noArray")}>
      <Form.Item
        name="array"
        label={t("start.array")}
        extra={t("start.arrayAbout")}
        rules={[
          {
            validator: (_rule, text: string) =>
              isArrayText(text)
                ? Promise.resolve()
                : Promise.reject(new Error(t("start.arrayWrong"))),
          },
        ]}
      >
        <Input className="mono" placeholder="0-99%10" autoComplete="off" spellCheck={false} />
      </Form.Item>
    </FormFold>
  );
}

/** Begin time, hold and dependencies. */
export function StartFold() {
  const { t } = useTranslation("jobs");
  return (
    <FormFold title={t("start.title")} digest={useStartDigest()}>
      <div className={styles.row}>
        <Form.Item
          name="not_before"
          label={t("start.notBefore")}
          extra={t("start.notBeforeAbout")}
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
        <Form.Item
          name="held"
          label={t("start.held")}
          extra={t("start.heldAbout")}
          valuePropName="checked"
        >
          <Switch />
        </Form.Item>
      </div>
      <DependencyFields />
    </FormFold>
  );
}

/** What is set of all this, in a few words. */
function useStartDigest(): string {
  const { t } = useTranslation("jobs");
  const language = useLanguage();
  const form = Form.useFormInstance<JobFormValues>();
  const begins = Form.useWatch("not_before", form);
  const dependencies = Form.useWatch("dependencies", form) ?? [];
  const set = [
    begins && t("start.from", { at: formatMoment(momentAt(begins), language) }),
    Form.useWatch("held", form) && t("start.held"),
    dependencies.length > 0 && t("start.dependencyCount", { count: dependencies.length }),
  ].filter(Boolean);
  return set.join(" · ") || t("start.atOnce");
}

/** Jobs and arrays that must have started, succeeded or ended before: one row each. */
function DependencyFields() {
  const { t } = useTranslation("jobs");
  return (
    <Form.List name="dependencies">
      {(rows, { add, remove }) => (
        <Form.Item label={t("start.dependencies")} extra={t("start.dependenciesAbout")}>
          {rows.map(({ key, name: index }) => (
            <div key={key} className={own.dependency}>
              <Form.Item name={[index, "type"]} initialValue="after_ok">
                <Select
                  aria-label={t("start.dependencyType", { number: index + 1 })}
                  options={DEPENDENCY_TYPES.map((value) => ({
                    value,
                    label: t(`start.types.${value}`),
                  }))}
                />
              </Form.Item>
              <JobField index={index} />
              <Button
                type="text"
                icon={<DeleteOutlined />}
                aria-label={t("start.dependencyRemove", { number: index + 1 })}
                onClick={() => remove(index)}
              />
            </div>
          ))}
          {rows.length < DEPENDENCIES_MAX && (
            <Button icon={<PlusOutlined aria-hidden />} onClick={() => add({})}>
              {t("start.dependencyAdd")}
            </Button>
          )}
        </Form.Item>
      )}
    </Form.List>
  );
}

function JobField({ index }: { index: number }) {
  const { t } = useTranslation("jobs");
  const jobs = useWorkloads({ kind: JOB.kind, active: true, collapsed: true }).data ?? [];
  return (
    <Form.Item
      name={[index, "id"]}
      rules={[{ required: true, message: t("start.dependencyMissing") }]}
    >
      <Select
        showSearch={{ optionFilterProp: "label" }}
        aria-label={t("start.dependencyJob", { number: index + 1 })}
        placeholder={t("start.dependencyHint")}
        options={jobs.map(({ id, name, array }) =>
          array
            ? { value: array.id, label: `${name} [${array.indexes}]` }
            : { value: id, label: name },
        )}
      />
    </Form.Item>
  );
}
