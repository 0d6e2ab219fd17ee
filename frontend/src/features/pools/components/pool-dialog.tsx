import { Form, Input, InputNumber, Radio } from "antd";
import { useTranslation } from "react-i18next";
import type { Pool } from "@/shared/api/types";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useChangePool, useCreatePool } from "../api/use-pools-admin";
import { changeOf, formOf, inputOf, NAME, type PoolForm, PURPOSES, USUAL } from "../model/form";
import { CutFields } from "./cut-fields";

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
    <EntityDialog<PoolForm, ReturnType<typeof inputOf>>
      title={t("create")}
      action={t("create")}
      initial={USUAL}
      sender={useCreatePool()}
      bodyOf={inputOf}
      onClose={onClose}
    >
      <PoolFields isNew />
    </EntityDialog>
  );
}

function ChangeDialog({ pool, onClose }: { pool: Pool; onClose: () => void }) {
  const { t } = useTranslation("pools");
  return (
    <EntityDialog<PoolForm, ReturnType<typeof changeOf>>
      title={t("editTitle", { name: pool.name })}
      action={t("save")}
      initial={formOf(pool)}
      sender={useChangePool(pool.id)}
      bodyOf={changeOf}
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
        rules={[{ required: true, pattern: NAME, message: t("nameWrong") }]}
      >
        <Input autoComplete="off" spellCheck={false} disabled={!isNew} />
      </Form.Item>
      <TitleField name="title_en" label={t("titleEn")} />
      <TitleField name="title_zh" label={t("titleZh")} />
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

function TitleField({ name, label }: { name: string; label: string }) {
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
