import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { Pool } from "@/shared/api/types";
import { CountField } from "@/shared/submission/components/count-field";

const MIB_PER_GIB = 1024;

/** How much of a card: slices, a share of any size, or a partition in hardware. */
export function PartFields({ pool }: { pool: Pool }) {
  const { t } = useTranslation("environments");
  const { profiles, share_mib_max, slices_max } = pool.limits;
  if (profiles.length > 0) {
    return (
      <Form.Item
        name="mig_profile"
        label={t("form.profile")}
        extra={t("form.profileAbout")}
        rules={[{ required: true, message: t("form.profile") }]}
      >
        <Select options={profiles.map((name) => ({ value: name, label: name }))} />
      </Form.Item>
    );
  }
  if (share_mib_max > 0) {
    return (
      <>
        <CountField
          name="share_pct"
          label={t("form.sharePct")}
          max={99}
          help={t("form.shareAbout")}
        />
        <CountField
          name="share_gib"
          label={t("form.shareGib")}
          min={0.5}
          step={0.5}
          max={Math.floor(share_mib_max / MIB_PER_GIB)}
        />
      </>
    );
  }
  return (
    <CountField
      name="slices"
      label={t("form.slices")}
      max={slices_max}
      help={t("form.slicesAbout", { gib: pool.slice_mib / MIB_PER_GIB })}
    />
  );
}
