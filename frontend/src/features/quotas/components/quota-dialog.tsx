import { Alert, Form, InputNumber, Modal, Select } from "antd";
import { useTranslation } from "react-i18next";
import { fieldErrorsOf } from "@/shared/api/field-faults";
import { problemOf } from "@/shared/api/problem";
import type { Quota } from "@/shared/api/types";
import { useCodedText } from "@/shared/i18n/coded-text";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { ProblemAlert } from "@/shared/ui/problem-alert";
import { useChangeQuota } from "../api/use-change-quota";
import {
  changesOf,
  formOf,
  LIMITS,
  type Limit,
  type LimitsForm,
  leastOf,
  unitOf,
  WEIGHTS,
} from "../model/limits";
import styles from "./quotas.module.css";

/** New limits of one quota; running work is never stopped by them. */
export function QuotaDialog({ quota, onClose }: { quota: Quota; onClose: () => void }) {
  const { t } = useTranslation(["quotas", "cluster"]);
  const coded = useCodedText();
  const language = useLanguage();
  const [form] = Form.useForm<LimitsForm>();
  const change = useChangeQuota(quota.id);
  const ceiling = Form.useWatch("ceiling", form);
  const isBelowUse = typeof ceiling === "number" && ceiling * unitOf(quota.resource) < quota.used;
  const where = quota.pool ? titleOf(quota.pool, language) : t("allPools");
  const what = coded(`cluster:quota.resource.${quota.resource}`) ?? quota.resource;
  const send = (filled: LimitsForm) =>
    change.mutate(changesOf(filled, quota), {
      onSuccess: onClose,
      onError: (error) => form.setFields(fieldErrorsOf(problemOf(error)) as never),
    });
  return (
    <Modal
      open
      title={`${quota.group.title} · ${what} · ${where}`}
      okText={t("save")}
      cancelText={t("cancel")}
      confirmLoading={change.isPending}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <Form<LimitsForm>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={formOf(quota)}
        onFinish={send}
      >
        <div className={styles.fields}>
          {LIMITS.map((limit) => (
            <LimitField key={limit} limit={limit} />
          ))}
        </div>
        <Form.Item name="weight" label={t("weight")} extra={t("weightAbout")}>
          <Select
            options={WEIGHTS.map((value) => ({
              value,
              label: t(`cluster:quota.weight.${value}`),
            }))}
          />
        </Form.Item>
        {isBelowUse && <Alert type="warning" showIcon title={t("belowUse")} />}
        {change.isError && <ProblemAlert error={change.error} />}
      </Form>
    </Modal>
  );
}

function LimitField({ limit }: { limit: Limit }) {
  const { t } = useTranslation("quotas");
  const form = Form.useFormInstance<LimitsForm>();
  const isOptional = limit === "ceiling" || limit === "user_ceiling";
  return (
    <Form.Item
      name={limit}
      label={t(`limit.${limit}`)}
      extra={t(`limitAbout.${limit}`)}
      dependencies={["guarantee", "deserved"]}
      rules={[
        ...(isOptional ? [] : [{ required: true, message: t("amountMissing") }]),
        {
          validator: (_rule, value: number | null) => {
            const least = leastOf(limit, form.getFieldsValue());
            return typeof value === "number" && value < least
              ? Promise.reject(new Error(t("atLeast", { least })))
              : Promise.resolve();
          },
        },
      ]}
    >
      <InputNumber
        min={0}
        placeholder={isOptional ? t("unlimited") : ""}
        style={{ width: "100%" }}
      />
    </Form.Item>
  );
}
