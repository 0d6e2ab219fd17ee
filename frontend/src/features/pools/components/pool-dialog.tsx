import { Form, InputNumber, Radio, Select } from "antd";
import type { Pool, PoolInput } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog, EntityName, EntityTitle } from "@/shared/ui/entity-dialog";
import { useSavePool } from "../api/pools";
import {
  GIVES,
  ISOLATIONS,
  isSliced,
  POOL_DEFAULTS,
  POOL_NAME,
  type PoolForm,
  PURPOSES,
  poolForm,
  poolInput,
  SLICES,
} from "../model/pool";

const HOUR_S = 3600;

interface PoolDialogProps {
  /** The one to change; none makes another. */
  pool: Pool | undefined;
  onClose: () => void;
}

/** Creates a pool, or changes what it is. */
export function PoolDialog({ pool, onClose }: PoolDialogProps) {
  const { t } = useTranslation("pools");
  return (
    <EntityDialog<PoolForm, PoolInput>
      title={pool ? t("editTitle", { name: pool.name }) : t("create")}
      action={t(pool ? "save" : "create")}
      initial={pool ? poolForm(pool) : POOL_DEFAULTS}
      save={useSavePool(pool)}
      version={pool?.version}
      bodyOf={poolInput}
      onClose={onClose}
    >
      <EntityName
        label={t("fact.name")}
        about={t("nameAbout")}
        pattern={POOL_NAME}
        message={t("nameWrong")}
        isFixed={pool !== undefined}
      />
      <EntityTitle name="title_en" label={t("titleEn")} message={t("titleWrong")} />
      <EntityTitle name="title_zh" label={t("titleZh")} message={t("titleWrong")} />
      <Form.Item name="purpose" label={t("fact.purpose")} extra={t("purposeAbout")}>
        <Radio.Group options={PURPOSES.map((value) => ({ value, label: t(`purpose.${value}`) }))} />
      </Form.Item>
      <CardSharingFields isNew={pool === undefined} />
      <Form.Item
        name="cpu_overcommit_pct"
        label={t("overcommitLabel")}
        extra={t("overcommitAbout")}
        rules={[
          { required: true, type: "integer", min: 100, max: 1000, message: t("overcommitWrong") },
        ]}
      >
        <InputNumber style={{ width: "100%" }} />
      </Form.Item>
      <HoursField name="default_time_limit_s" label={t("usualTime")} />
      <HoursField name="time_limit_s_max" label={t("longestTime")} />
    </EntityDialog>
  );
}

/** Seconds, typed in hours. */
function HoursField({ name, label }: { name: string; label: string }) {
  const { t } = useTranslation("pools");
  return (
    <Form.Item
      name={name}
      label={label}
      getValueProps={(seconds: unknown) => ({
        value: typeof seconds === "number" ? seconds / HOUR_S : seconds,
      })}
      normalize={(hours: unknown) =>
        typeof hours === "number" ? Math.round(hours * HOUR_S) : hours
      }
      rules={[{ required: true, type: "integer", min: 60, message: t("timeWrong") }]}
    >
      <InputNumber inputMode="decimal" style={{ width: "100%" }} />
    </Form.Item>
  );
}

/** How the cards of a pool are shared, and how the tenants of one card are isolated. */
function CardSharingFields({ isNew }: { isNew: boolean }) {
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
      {isSliced(gives) && <SizeFields key={gives} gives={gives} />}
      {isNew && (gives === "slices" || gives === "share") && (
        <Form.Item name="isolation" label={t("fact.isolation")} extra={t("isolationAbout")}>
          <Select
            options={ISOLATIONS.map((value) => ({
              value,
              label: t(`workload:isolation.${value}`),
            }))}
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
