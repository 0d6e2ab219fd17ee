import { Button, Form, Input, InputNumber, Select } from "antd";
import { useState } from "react";
import type { SiteSettings } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { SaveBar, SectionList } from "@/shared/ui/long-form";
import { useMessages } from "@/shared/ui/messages";
import { PageHeader, Panel } from "@/shared/ui/page";
import { ProblemAlert, QueryBoundary } from "@/shared/ui/query-states";
import { SavedMeanwhile, useRefusal } from "@/shared/ui/refusal";
import { useNow } from "@/shared/ui/time";
import { useSaveSiteSettings, useSiteSettings } from "../api/site";
import {
  changeOf,
  defaultsOf,
  FACTOR_MAX,
  readFactors,
  SETTINGS_SECTIONS,
  type SettingsFields,
} from "../model/settings";

/** What holds for the whole site; the platform's staff reads it, administrators change it. */
export function SitePage() {
  const { t } = useTranslation("site");
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} />
      <QueryBoundary query={useSiteSettings()} rows={8}>
        {(settings) => <SiteForm settings={settings} />}
      </QueryBoundary>
    </>
  );
}

const SECTION_NAMES = [
  ...(["clock", "money", "energy"] as const),
  ...SETTINGS_SECTIONS.map(({ name }) => name),
] as const;

/** The factors are one text while they are typed. */
type TypedFields = Omit<SettingsFields, "carbon_g_per_kwh"> & { carbon_g_per_kwh: string };

function SiteForm({ settings }: { settings: SiteSettings }) {
  const { t } = useTranslation("site");
  const messages = useMessages();
  const [form] = Form.useForm<TypedFields>();
  const save = useSaveSiteSettings();
  const refusal = useRefusal(form, save);
  const [seen, setSeen] = useState(settings);
  const isEditable = isPlatformAdmin(useMe());
  const send = ({ carbon_g_per_kwh: typed, ...rest }: TypedFields) => {
    const filled = { ...rest, carbon_g_per_kwh: readFactors(typed) ?? [] };
    refusal.forget();
    save.mutate(
      { ...changeOf(seen, filled), version: seen.version },
      {
        onSuccess: (answer) => {
          setSeen(answer);
          messages.success(t("saved"));
        },
        onError: (error) => refusal.mark(error),
      },
    );
  };
  return (
    <Form<TypedFields>
      form={form}
      layout="vertical"
      requiredMark={false}
      scrollToFirstError
      disabled={!isEditable}
      className="stack"
      initialValues={{ ...settings, carbon_g_per_kwh: settings.carbon_g_per_kwh.join(", ") }}
      onValuesChange={refusal.forget}
      onFinish={send}
    >
      <SectionList
        label={t("sections")}
        sections={SECTION_NAMES.map((name) => ({ id: name, title: t(`section.${name}`) }))}
      />
      <Panel id="clock" title={t("section.clock")}>
        <ZoneField zones={settings.time_zones} />
      </Panel>
      <Panel id="money" title={t("section.money")}>
        <CurrencyField />
      </Panel>
      <Panel id="energy" title={t("section.energy")}>
        <CarbonField />
      </Panel>
      {SETTINGS_SECTIONS.map(({ name, fields }) => (
        <Panel key={name} id={name} title={t(`section.${name}`)}>
          {fields.map((field) => (
            <NumberItem key={field.name} settings={settings} {...field} />
          ))}
        </Panel>
      ))}
      {save.error && <ProblemAlert error={save.error} form={form} />}
      {save.error && (
        <SavedMeanwhile
          error={save.error}
          form={form}
          isOutdated={seen.version !== settings.version}
          onSeen={() => setSeen(settings)}
        />
      )}
      {isEditable && (
        <SaveBar>
          <Button type="primary" htmlType="submit" loading={save.isPending}>
            {t("save")}
          </Button>
          <Button onClick={() => form.setFieldsValue(defaultsOf(settings))}>
            {t("toDefaults")}
          </Button>
        </SaveBar>
      )}
    </Form>
  );
}

function CurrencyField() {
  const { t } = useTranslation("site");
  return (
    <Form.Item
      name="currency"
      label={t("field.currency.title")}
      extra={t("field.currency.about")}
      normalize={(typed: string) => typed.toUpperCase()}
      rules={[{ required: true, pattern: /^[A-Z]{3}$/, message: t("currencyCode") }]}
    >
      <Input maxLength={3} autoComplete="off" style={{ width: 120 }} />
    </Form.Item>
  );
}

function CarbonField() {
  const { t } = useTranslation("site");
  return (
    <Form.Item
      name="carbon_g_per_kwh"
      label={t("field.carbon_g_per_kwh.title")}
      extra={t("field.carbon_g_per_kwh.about")}
      rules={[
        {
          validator: (_, typed: string) =>
            readFactors(typed) ? Promise.resolve() : Promise.reject(),
          message: t("carbonFactors", { max: FACTOR_MAX }),
        },
      ]}
    >
      <Input autoComplete="off" suffix="g/kWh" style={{ maxWidth: 480 }} />
    </Form.Item>
  );
}

/** The zone, with what its clock shows now: a wrong choice is seen before it is saved. */
function ZoneField({ zones }: { zones: readonly string[] }) {
  const { t } = useTranslation("site");
  const language = useLanguage();
  const now = useNow();
  const chosen: string | undefined = Form.useWatch("time_zone");
  const clock = (timeZone: string) =>
    new Intl.DateTimeFormat(language, { timeZone, dateStyle: "full", timeStyle: "short" });
  return (
    <Form.Item
      name="time_zone"
      label={t("field.time_zone.title")}
      extra={
        <>
          {t("field.time_zone.about")}
          {chosen && <div>{t("clockShows", { time: clock(chosen).format(now) })}</div>}
        </>
      }
    >
      <Select
        showSearch
        style={{ maxWidth: 360 }}
        options={zones.map((zone) => ({ value: zone, label: zone }))}
      />
    </Form.Item>
  );
}

type NumberItemProps = {
  settings: SiteSettings;
} & (typeof SETTINGS_SECTIONS)[number]["fields"][number];

/** One number, typed in its natural unit, with its default and its bounds beside it. */
function NumberItem({ settings, name, factor, unit }: NumberItemProps) {
  const { t } = useTranslation("site");
  const language = useLanguage();
  const bounds = settings.bounds.find((row) => row.name === name);
  if (!bounds) return null;
  const say = (value: number) => formatNumber(value / factor, language, 2);
  const limits = { value: say(bounds.default), min: say(bounds.min), max: say(bounds.max) };
  return (
    <Form.Item
      name={name}
      label={t(`field.${name}.title`)}
      extra={
        <>
          {t(`field.${name}.about`)}
          <div>{t("default", { ...limits, unit: t(`unit.${unit}`) })}</div>
        </>
      }
      rules={[
        {
          type: "number",
          required: true,
          min: bounds.min,
          max: bounds.max,
          message: t("outOfBounds", limits),
        },
      ]}
      getValueProps={(value: unknown) => ({
        value: typeof value === "number" ? value / factor : value,
      })}
      normalize={(typed: unknown) =>
        typeof typed === "number" ? Math.round(typed * factor) : typed
      }
    >
      <InputNumber inputMode="decimal" style={{ width: 240 }} suffix={t(`unit.${unit}`)} />
    </Form.Item>
  );
}
