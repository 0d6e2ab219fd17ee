import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { Pool } from "@/shared/api/types";
import { ceilingBounds, defaultShareGib, deviceKindOf, gibOf } from "../model/devices";
import { CountField } from "./fields";

const SHARE_PCT_MAX = 99;
const USUAL_SHARE_PCT = 25;

/** How much of a card, in the units of the pool; another pool starts with its defaults. */
export function DeviceFields({ pool }: { pool: Pool }) {
  switch (deviceKindOf(pool)) {
    case "cards":
      return <CardField key={pool.id} pool={pool} />;
    case "slices":
      return <SliceField key={pool.id} pool={pool} />;
    case "share":
      return <ShareFields key={pool.id} pool={pool} />;
    default:
      return <ProfileField key={pool.id} pool={pool} />;
  }
}

function CardField({ pool: { limits } }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  return <CountField name="cards" label={t("devices.cards")} max={limits.cards_max} initial={1} />;
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
      help={burst_pct > 100 ? `${size} ${growth} ${t("devices.whenFull")}` : size}
    />
  );
}

/** A guarantee of processors and memory, and how far the memory may grow. */
function ShareFields({ pool }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  const guarantee: number = Form.useWatch("share_gib") ?? 0;
  const { burst_pct, share_mib_max } = pool.limits;
  const isGrowing = burst_pct > 100;
  const { min, max } = ceilingBounds(guarantee, pool);
  return (
    <>
      <CountField
        name="share_pct"
        label={t("devices.sharePct")}
        max={SHARE_PCT_MAX}
        initial={USUAL_SHARE_PCT}
        help={t("devices.sharePctAbout")}
      />
      <CountField
        name="share_gib"
        label={t("devices.shareGib")}
        min={0.5}
        step={0.5}
        max={Math.floor(gibOf(share_mib_max))}
        initial={defaultShareGib(pool)}
        help={t(isGrowing ? "devices.shareGibAbout" : "devices.shareGibFixed")}
      />
      {isGrowing && (
        <CountField
          name="share_ceiling_gib"
          label={t("devices.ceiling")}
          min={min}
          step={0.5}
          max={max}
          isOptional
          hint={String(max)}
          dependsOn="share_gib"
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
