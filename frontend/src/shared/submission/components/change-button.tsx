import { Button, Form, Select, Switch } from "antd";
import { useState } from "react";
import type { Image, Pool, WorkloadChange, WorkloadDetail } from "@/shared/api/types";
import { useImages, usePools } from "@/shared/cluster/api/cluster";
import { usePriorities } from "@/shared/cluster/api/limits";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canChange } from "@/shared/session/roles";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { bothOf, QueryBoundary } from "@/shared/ui/query-states";
import { useChangeWorkload } from "../api/submission";
import { type ChangeForm, changeForm, changeInput } from "../model/changes";
import { CPU_MIN, gibOf, MEMORY_GIB_MIN } from "../model/devices";
import { imagesFor, poolsFor, submittedKind } from "../model/submission";
import { DeviceFields } from "./device-fields";
import { CountField, TimeLimitField } from "./fields";
import styles from "./submission.module.css";

/** Changes what waiting work, or a stopped notebook, asks for. */
export function ChangeButton({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  const isOpenToChange = workload.state === "queued" || workload.state === "suspended";
  if (!isOpenToChange || !canChange(me, workload)) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("change.open")}</Button>
      {isOpen && <ChangeDialog workload={workload} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ChangeDialogProps {
  workload: WorkloadDetail;
  onClose: () => void;
}

function ChangeDialog({ workload, onClose }: ChangeDialogProps) {
  const { t } = useTranslation("submission");
  const change = useChangeWorkload(workload);
  const [shown] = useState(workload);
  return (
    <EntityDialog<ChangeForm, WorkloadChange>
      action={t("change.action")}
      title={t("change.title", { name: workload.name })}
      initial={changeForm(shown)}
      save={change}
      bodyOf={(form) => changeInput(form, shown)}
      onClose={onClose}
    >
      <QueryBoundary query={bothOf(usePools(), useImages())} rows={6}>
        {([pools, images]) => <RequestFields workload={shown} pools={pools} images={images} />}
      </QueryBoundary>
    </EntityDialog>
  );
}

interface RequestFieldsProps {
  workload: WorkloadDetail;
  pools: readonly Pool[];
  images: readonly Image[];
}

function RequestFields({ workload, pools, images }: RequestFieldsProps) {
  const { t } = useTranslation(["submission", "workload"]);
  const language = useLanguage();
  const priorities = usePriorities(workload.group.id);
  const chosen: string = Form.useWatch("pool") ?? workload.pool.name;
  const pool = pools.find(({ name }) => name === chosen);
  const offered = poolsFor(submittedKind(workload), pools);
  if (!pool) return null;
  const { limits } = pool;
  const isJob = workload.kind === "training";
  return (
    <>
      <Form.Item name="pool" label={t("pool")} hidden={offered.length < 2}>
        <Select
          options={offered.map((row) => ({ value: row.name, label: titleOf(row, language) }))}
        />
      </Form.Item>
      <Form.Item name="image" label={t("image")}>
        <Select
          options={imagesFor(submittedKind(workload), images).map((image) => ({
            value: image.name,
            label: titleOf(image, language),
          }))}
        />
      </Form.Item>
      <DeviceFields pool={pool} />
      <div className={styles.row}>
        <CountField
          name="cpu"
          label={t("cpu")}
          max={limits.cpu_milli_max / 1000}
          min={CPU_MIN}
          step={0.5}
        />
        <CountField
          name="memory_gib"
          label={t("memory")}
          max={gibOf(limits.memory_mib_max)}
          min={MEMORY_GIB_MIN}
        />
      </div>
      <TimeLimitField pool={pool} />
      <Form.Item name="priority" label={t("change.priority")}>
        <Select
          options={priorities(workload.priority).map((value) => ({
            value,
            label: t(`workload:priority.${value}`),
          }))}
        />
      </Form.Item>
      {isJob && (
        <Form.Item name="preemptible" label={t("change.preemptible")} valuePropName="checked">
          <Switch />
        </Form.Item>
      )}
    </>
  );
}
