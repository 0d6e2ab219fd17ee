import { Form, Input, InputNumber, Radio, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { Pool } from "@/shared/api/types";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useChangePool, useCreatePool } from "../api/pools";
import {
  GIVES,
  isCut,
  POOL_NAME,
  type PoolForm,
  PURPOSES,
  poolChange,
  poolForm,
  poolInput,
  SLICES,
  USUAL,
  WALLS,
} from "../model/pool";

const TITLE_MAX = 100;
const HOUR_S = 3600;

interface PoolDialogProps {
  /** The one to change; none makes another. */
  pool: Pool | undefined;
  onClose: () => void;
}

/** Makes a pool, or says anew what it is. */
export function PoolDialog({ pool, onClose }: PoolDialogProps) {
  return pool ? <ChangeDialog pool={pool} onClose={onClose} /> : <NewDialog onClose={onClose} />;
}

function NewDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("pools");
  return (
    <EntityDialog<PoolForm, ReturnType<typeof poolInput>>
      title={t("create")}
      action={t("create")}
      initial={USUAL}
      sender={useCreatePool()}
      bodyOf={poolInput}
      onClose={onClose}
    >
      <PoolFields isNew />
    </EntityDialog>
  );
}

function ChangeDialog({ pool, onClose }: { pool: Pool; onClose: () => void }) {
  const { t } = useTranslation("pools");
  return (
    <EntityDialog<PoolForm, ReturnType<typeof poolChange>>
      title={t("editTitle", { name: pool.name })}
      action={t("save")}
      initial={poolForm(pool)}
      sender={useChangePool(pool.id)}
      bodyOf={poolChange}
      onClose={onClose}
    >
      <PoolFields isNew={false} />
    </EntityDialog>
  );
}

function PoolFields({ isNew }: { isNew: boolean }) {
  const { t } = useTranslation("pools");
  return (
    <>
      <Form.Item
        name="name"
        label={t("fact.name")}
        extra={t("nameAbout")}
        rules={[{ required: true, pattern: POOL_NAME, message: t("nameWrong") }]}
      >
        <Input autoComplete="off" spellCheck={false} disabled={!isNew} />
      </Form.Item>
      <PoolTitleField name="title_en" label={t("titleEn")} />
      <PoolTitleField name="title_zh" label={t("titleZh")} />
      <Form.Item name="purpose" label={t("fact.purpose")} extra={t("purposeAbout")}>
        <Radio.Group options={PURPOSES.map((value) => ({ value, label: t(`purpose.${value}`) }))} />
      </Form.Item>
      <CutFields isNew={isNew} />
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
    </>
  );
}

function PoolTitleField({ name, label }: { name: string; label: string }) {
  const { t } = useTranslation("pools");
  return (
    <Form.Item
      name={name}
      label={label}
      rules={[{ required: true, whitespace: true, max: TITLE_MAX, message: t("titleWrong") }]}
    >
      <Input autoComplete="off" maxLength={TITLE_MAX} />
    </Form.Item>
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

/** How the cards of a pool are given away, and what keeps the tenants of one card apart. */
function CutFields({ isNew }: { isNew: boolean }) {
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
