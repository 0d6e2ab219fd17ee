/** How much of the GPUs, as cards; an amount of one's own in the fields below them. */
import { Form } from "antd";
import { type ReactNode, useRef, useState } from "react";
import type { Pool } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useDeviceWords, useRequestWords } from "@/shared/workload/components/sentences";
import { CPU_MIN, DEVICE_SETTINGS, devicesOf, gibOf, MEMORY_GIB_MIN } from "../model/devices";
import { type Size, type SizeValues, sizeLike, sizesOf } from "../model/sizes";
import type { SubmissionValues } from "../model/submission";
import { DeviceFields } from "./device-fields";
import { CountField, Lockable, PoolField, useIsLocked } from "./fields";
import { Folds, FormFold, unfoldAround } from "./form-fold";
import styles from "./submission.module.css";

type SizedValues = Partial<SubmissionValues & SizeValues>;

interface SizeChoiceProps {
  pools: readonly Pool[];
  pool: Pool;
  hasRanks: boolean;
  onTake: (size: Size) => void;
  /** A fold beside that of the exact amounts. */
  children: ReactNode;
}

/** The sizes of the pools, and below them what exactly is asked for. */
export function SizeChoice({ pools, pool, hasRanks, onTake, children }: SizeChoiceProps) {
  const { t } = useTranslation("submission");
  const form = Form.useFormInstance<SizedValues>();
  const values: SizedValues = Form.useWatch((all: SizedValues) => all, form) ?? {};
  const exact = useRef<HTMLDivElement>(null);
  const [isOwn, setOwn] = useState(false);
  const sizes = sizesOf(pools, pool, hasRanks);
  const chosen = isOwn ? undefined : sizeLike(sizes, { pool: pool.name, ...values });
  const isLocked = useIsLocked(...DEVICE_SETTINGS, "pool", "replicas");
  const openExact = () => {
    setOwn(true);
    unfoldAround(exact.current);
    exact.current?.querySelector<HTMLElement>("input:not([type=search])")?.focus();
  };
  return (
    <>
      <div role="radiogroup" aria-label={t("sizes.label")} className={styles.sizes}>
        {sizes.map((size) => (
          <SizeCard
            key={size.key}
            size={size}
            isChosen={size === chosen}
            isLocked={isLocked}
            onChoose={() => {
              setOwn(false);
              onTake(size);
            }}
          />
        ))}
        <label className={styles.size}>
          <input type="radio" name="size" checked={!chosen} onChange={openExact} />
          <strong>{t("sizes.own")}</strong>
          <span>{t("sizes.ownAbout")}</span>
        </label>
      </div>
      <Folds>
        <FormFold title={t("sizes.exact")} digest={useAmountWords(values, pool)}>
          <div ref={exact} className={styles.row}>
            <PoolField pools={pools} />
            <Lockable settings={DEVICE_SETTINGS}>
              <DeviceFields pool={pool} />
            </Lockable>
            <CountField
              name="cpu"
              label={t("cpu")}
              min={CPU_MIN}
              step={0.5}
              max={pool.limits.cpu_milli_max / 1000}
            />
            <CountField
              name="memory_gib"
              label={t("memory")}
              min={MEMORY_GIB_MIN}
              max={gibOf(pool.limits.memory_mib_max)}
            />
          </div>
        </FormFold>
        {children}
      </Folds>
    </>
  );
}

interface SizeCardProps {
  size: Size;
  isChosen: boolean;
  isLocked: boolean;
  onChoose: () => void;
}

function SizeCard({ size, isChosen, isLocked, onChoose }: SizeCardProps) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const devices = useDeviceWords();
  const { pool, values, free, largest, hasRoom } = size;
  const one = devices({ ...NOTHING, ...devicesOf(values), replicas: 1 });
  const room = () => {
    if (hasRoom) return t("sizes.free", { count: free });
    if (free === 0) return t("sizes.none");
    return values.replicas > 1
      ? t("sizes.tooFew", { count: free })
      : t(values.slices ? "sizes.onGpu" : "sizes.onNode", { count: largest });
  };
  return (
    <label className={styles.size} title={t("sizes.host", hostOf(values))}>
      <input
        type="radio"
        name="size"
        checked={isChosen}
        disabled={isLocked && !isChosen}
        onChange={onChoose}
      />
      <strong>
        {values.replicas > 1 ? t("sizes.nodes", { one, count: values.replicas }) : one}
      </strong>
      <span>
        {titleOf(pool, language)} ·{" "}
        <span className="num" data-room={hasRoom}>
          {room()}
        </span>
      </span>
    </label>
  );
}

const NOTHING = { gpus: 0, slices: 0, gpu_milli: 0, mig_profile: "" };
const hostOf = ({ cpu, memory_gib }: SizeValues) => ({ cpu, memory: memory_gib });

/** `Training · 1 GPU · 4 cores · 16.0 GiB`. */
function useAmountWords(values: SizedValues, pool: Pool): string {
  const language = useLanguage();
  const words = useRequestWords();
  const { cpu = 0, memory_gib = 0, replicas = 1 } = values;
  const asked = words({
    ...NOTHING,
    ...devicesOf(values),
    replicas,
    cpu_milli: Math.round(cpu * 1000),
    memory_mib: Math.round(memory_gib * 1024),
  });
  return [titleOf(pool, language), asked.devices, asked.host].join(" · ");
}
