import { Form, InputNumber, Radio, Select } from "antd";
import { useTranslation } from "react-i18next";
import { GIVES, isCut, type PoolForm, SLICES, WALLS } from "../model/form";

/** How the cards of a pool are given away, and what keeps the tenants of one card apart. */
export function CutFields({ isNew }: { isNew: boolean }) {
  const { t } = useTranslation(["pools", "workload"]);
  const gives: PoolForm["gives"] = Form.useWatch("gives") ?? "slices";
  return (
    <>
      <Form.Item
        name="gives"
        label={t("fact.gives")}
        extra={`${t(`gives.${gives}.about`)}${isNew ? "" : ` ${t("cutAnew")}`}`}
      >
        <Radio.Group options={GIVES.map((value) => ({ value, label: t(`gives.${value}.name`) }))} />
      </Form.Item>
      {isCut(gives) && <SizeFields key={gives} gives={gives} />}
      {isNew && (gives === "slices" || gives === "share") && (
        <Form.Item name="isolation" label={t("fact.isolation")} extra={t("isolationAbout")}>
          <Select
            options={WALLS.map((value) => ({ value, label: t(`workload:isolation.${value}`) }))}
          />
        </Form.Item>
      )}
    </>
  );
}

function SizeFields({ gives }: { gives: keyof typeof SLICES }) {
  const { t } = useTranslation("pools");
  const offered: readonly number[] = SLICES[gives];
  return (
    <>
      <Form.Item
        name="slices_per_card"
        label={t(`gives.${gives}.slices`)}
        preserve={false}
        rules={[
          {
            validator: (_rule, chosen: number) =>
              offered.includes(chosen)
                ? Promise.resolve()
                : Promise.reject(new Error(t("slicesWrong", { offered: offered.join(", ") }))),
          },
        ]}
      >
        <Select options={offered.map((value) => ({ value, label: String(value) }))} />
      </Form.Item>
      <Form.Item
        name="slice_mib"
        label={t("sliceMib")}
        extra={t(`gives.${gives}.memory`)}
        preserve={false}
        rules={[{ required: true, type: "integer", min: 1, message: t("sliceMibWrong") }]}
      >
        <InputNumber style={{ width: "100%" }} />
      </Form.Item>
    </>
  );
}
