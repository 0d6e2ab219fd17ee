import { Form, Select, Switch } from "antd";
import type { Pool } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import {
  CHOICE_SETTINGS,
  ceilingBounds,
  DEVICE_SETTINGS,
  defaultMemoryGib,
  deviceKindOf,
  gibOf,
  MEMORY_GIB_MIN,
} from "../model/devices";
import { CountField, useIsLocked, useIsWanted } from "./fields";

const GPU_PCT_MIN = 0.1;
const GPU_PCT_MAX = 99.9;
const USUAL_GPU_PCT = 25;

/** Whether it has GPUs at all, and how much of them. */
export function DeviceFields({ pool }: { pool: Pool }) {
  const isCpuOnly: boolean = Form.useWatch("is_cpu_only") ?? false;
  return (
    <>
      <CpuOnlyField isOn={isCpuOnly} />
      {!isCpuOnly && <AmountFields pool={pool} />}
    </>
  );
}

/** No GPU, in any pool; not where the template or a rule wants one. */
function CpuOnlyField({ isOn }: { isOn: boolean }) {
  const { t } = useTranslation("submission");
  const isAsked = useIsWanted([...DEVICE_SETTINGS, ...CHOICE_SETTINGS]);
  const isChosen = useIsLocked(...CHOICE_SETTINGS);
  const isWanted = (isAsked || isChosen) && !isOn;
  return (
    <Form.Item
      name="is_cpu_only"
      label={t("devices.none")}
      extra={t("devices.noneAbout")}
      valuePropName="checked"
    >
      <Switch {...(isWanted && { disabled: true })} />
    </Form.Item>
  );
}

/** How much of a GPU, in the units of the pool; another pool starts with its defaults. */
function AmountFields({ pool }: { pool: Pool }) {
  switch (deviceKindOf(pool)) {
    case "gpus":
      return <GpuField key={pool.id} pool={pool} />;
    case "slices":
      return <SliceField key={pool.id} pool={pool} />;
    case "share":
      return <ShareFields key={pool.id} pool={pool} />;
    default:
      return <ProfileField key={pool.id} pool={pool} />;
  }
}

function GpuField({ pool: { limits } }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  return (
    <CountField
      name="gpus"
      label={t("devices.gpus")}
      max={limits.gpus_max}
      initial={1}
      otherwise={t("devices.orNone")}
    />
  );
}

function SliceField({ pool }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  const { slices_max, burst_pct } = pool.limits;
  const size = t("devices.slicesAbout", { gib: gibOf(pool.slice_mib) });
  const growth = t("devices.slicesGrow", { percent: burst_pct });
  return (
    <CountField
      name="slices"
      label={t("devices.slices")}
      max={slices_max}
      initial={1}
      otherwise={t("devices.orNone")}
      help={burst_pct > 100 ? `${size} ${growth} ${t("devices.whenFull")}` : size}
    />
  );
}

/** A guarantee of processors and memory, and how far the memory may grow. */
function ShareFields({ pool }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  const guarantee: number = Form.useWatch("gpu_memory_gib") ?? 0;
  const { burst_pct, gpu_memory_mib_max } = pool.limits;
  const isGrowing = burst_pct > 100;
  const { min, max } = ceilingBounds(guarantee, pool);
  return (
    <>
      <CountField
        name="gpu_pct"
        label={t("devices.sharePct")}
        min={GPU_PCT_MIN}
        max={GPU_PCT_MAX}
        initial={USUAL_GPU_PCT}
        help={t("devices.sharePctAbout")}
      />
      <CountField
        name="gpu_memory_gib"
        label={t("devices.shareGib")}
        min={MEMORY_GIB_MIN}
        step={0.5}
        max={gibOf(gpu_memory_mib_max)}
        initial={defaultMemoryGib(pool)}
        help={t(isGrowing ? "devices.shareGibAbout" : "devices.shareGibFixed")}
      />
      {isGrowing && (
        <CountField
          name="gpu_memory_ceiling_gib"
          label={t("devices.ceiling")}
          min={min}
          step={0.5}
          max={max}
          isOptional
          hint={String(max)}
          dependsOn="gpu_memory_gib"
          help={`${t("devices.ceilingAbout", { max })} ${t("devices.whenFull")}`}
        />
      )}
    </>
  );
}

function ProfileField({ pool: { limits } }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  const [smallest] = limits.profiles;
  return (
    <Form.Item
      name="mig_profile"
      label={t("devices.profile")}
      extra={t(smallest === undefined ? "devices.noProfile" : "devices.profileAbout")}
      rules={[{ required: true, message: t("devices.profileMissing") }]}
      initialValue={smallest}
      preserve={false}
    >
      <Select options={limits.profiles.map((name) => ({ value: name, label: name }))} />
    </Form.Item>
  );
}
