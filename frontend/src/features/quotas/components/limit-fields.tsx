import { Form, InputNumber, Select } from "antd";
import { useTranslation } from "react-i18next";
import { LIMITS, type Limit, type LimitsForm, leastOf, WEIGHTS } from "../model/limits";
import styles from "./quotas.module.css";

/** Guarantee, deserved, ceilings and weight of one quota, in cards, cores or GiB. */
export function LimitFields() {
  const { t } = useTranslation(["quotas", "cluster"]);
  return (
    <>
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
    </>
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
