import { Button, Checkbox, Flex, Form, type FormInstance, Input, InputNumber, Select } from "antd";
import { useState } from "react";
import type { WebApp, WebAppInput } from "@/shared/api/types";
import { useImages } from "@/shared/cluster/api/cluster";
import { formatDuration } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useConfig } from "@/shared/session/me";
import { EntityDialog, EntityName, EntityTitle } from "@/shared/ui/entity-dialog";
import { asSavedNow } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { EmptyState, useProblemMessage } from "@/shared/ui/query-states";
import { AppIcon } from "@/shared/workload/components/app-mark";
import { useAppPresets, useApps, useOfferApp, useSaveApp } from "../api/apps";
import {
  APP_ICONS,
  APP_NAME,
  type AppForm,
  appForm,
  appInput,
  NEW_APP,
  presetForm,
  SERVED_AT,
} from "../model/app";

const DESCRIPTION_MAX = 500;
const DAY_MIN = 24 * 60;

/** The web apps that people may start, for platform administrators. */
export function AppCatalogue() {
  const { t } = useTranslation("apps");
  const [edited, setEdited] = useState<WebApp | "new" | null>(null);
  const apps = useApps();
  return (
    <Panel
      title={t("catalogue.title")}
      extra={<Button onClick={() => setEdited("new")}>{t("catalogue.add")}</Button>}
    >
      <ListOfQuery
        id="app-catalogue"
        sortName="sortOffered"
        query={apps}
        canRetry={false}
        label={t("catalogue.title")}
        columns={useCatalogueColumns(setEdited)}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t("catalogue.empty")} text={t("catalogue.emptyText")} />}
      />
      {edited && <AppDialog app={asSavedNow(edited, apps.data)} onClose={() => setEdited(null)} />}
    </Panel>
  );
}

function useCatalogueColumns(onEdit: (app: WebApp) => void): ListColumn<WebApp>[] {
  const { t } = useTranslation("apps");
  const language = useLanguage();
  return [
    {
      key: "app",
      title: t("column.app"),
      value: (app) => titleOf(app, language),
      cell: (app) => (
        <>
          <AppIcon icon={app.icon} /> <strong>{titleOf(app, language)}</strong>
          <p className="second note">
            {language === "zh-CN" ? app.description_zh : app.description_en}
          </p>
        </>
      ),
    },
    {
      key: "image",
      title: t("column.image"),
      value: ({ image }) => titleOf(image, language),
      cell: ({ image }) => titleOf(image, language),
    },
    {
      key: "command",
      title: t("column.command"),
      value: ({ command }) => command.join(" "),
      cell: ({ command }) => (
        <code className="mono" style={{ overflowWrap: "anywhere" }}>
          {command.join(" ")}
        </code>
      ),
    },
    {
      key: "ends",
      title: t("column.idle"),
      isShort: true,
      value: ({ idle_s }) => idle_s,
      cell: ({ idle_s, time_limit_s }) => (
        <span className="num">
          {formatDuration(idle_s, language)}
          <span className="second">
            {t("atMost", { limit: formatDuration(time_limit_s, language) })}
          </span>
        </span>
      ),
    },
    {
      key: "state",
      title: t("column.state"),
      isShort: true,
      value: ({ is_active }) => t(is_active ? "offered" : "withdrawn"),
      cell: (app) => <AppState app={app} />,
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (app) => <CatalogueActions app={app} onEdit={() => onEdit(app)} />,
    },
  ];
}

/** Whether an app is offered, and what it lacks to be started. */
function AppState({ app: { is_active, served_at } }: { app: WebApp }) {
  const { t } = useTranslation("apps");
  const hasHosts = useConfig()?.has_apps_hosts ?? true;
  return (
    <>
      {t(is_active ? "offered" : "withdrawn")}
      {served_at === "host" && !hasHosts && <p className="second note">{t("hostsMissing")}</p>}
    </>
  );
}

/** What an administrator may do to an app. It cannot be deleted, because past sessions name it. */
function CatalogueActions({ app, onEdit }: { app: WebApp; onEdit: () => void }) {
  const { t } = useTranslation("apps");
  const showProblem = useProblemMessage();
  const offer = useOfferApp(app.id);
  const { name, is_active: isOffered } = app;
  return (
    <Flex gap={8} wrap>
      <Button size="small" aria-label={t("editTitle", { name })} onClick={onEdit}>
        {t("edit")}
      </Button>
      <Button
        size="small"
        aria-label={t(isOffered ? "withdrawTitle" : "offerTitle", { name })}
        loading={offer.isPending}
        onClick={() => offer.mutate(!isOffered, { onError: showProblem })}
      >
        {t(isOffered ? "withdraw" : "offer")}
      </Button>
    </Flex>
  );
}

interface AppDialogProps {
  /** The one to change; none adds another. */
  app: WebApp | undefined;
  onClose: () => void;
}

/** Name, image and command of a web app, and how much it gets for how long. */
function AppDialog({ app, onClose }: AppDialogProps) {
  const { t } = useTranslation("apps");
  return (
    <EntityDialog<AppForm, WebAppInput>
      title={app ? t("editTitle", { name: app.name }) : t("catalogue.add")}
      action={t("save")}
      initial={app ? appForm(app) : NEW_APP}
      save={useSaveApp(app?.id)}
      version={app?.version}
      bodyOf={appInput}
      onClose={onClose}
    >
      {(form) => <AppFields form={form} isNew={app === undefined} />}
    </EntityDialog>
  );
}

function AppFields({ form, isNew }: { form: FormInstance<AppForm>; isNew: boolean }) {
  const { t } = useTranslation("apps");
  return (
    <>
      {isNew && <PresetField form={form} />}
      <EntityName
        label={t("form.name")}
        about={t("form.nameAbout")}
        pattern={APP_NAME}
        message={t("form.nameWrong")}
        isFixed={!isNew}
      />
      <EntityTitle name="title_en" label={t("form.titleEn")} message={t("form.titleWrong")} />
      <EntityTitle name="title_zh" label={t("form.titleZh")} message={t("form.titleWrong")} />
      <Form.Item name="description_en" label={t("form.descriptionEn")}>
        <Input.TextArea maxLength={DESCRIPTION_MAX} rows={2} />
      </Form.Item>
      <Form.Item name="description_zh" label={t("form.descriptionZh")}>
        <Input.TextArea maxLength={DESCRIPTION_MAX} rows={2} />
      </Form.Item>
      <IconField />
      <AppImageField />
      <Form.Item
        name="command"
        label={t("column.command")}
        extra={t("form.commandAbout", { folder: "{folder}", port: "{port}", path: "{base_path}" })}
        rules={[{ required: true, whitespace: true, message: t("form.commandWrong") }]}
      >
        <Input.TextArea className="mono" rows={5} autoComplete="off" spellCheck={false} />
      </Form.Item>
      <ServedAtField form={form} />
      <Form.Item name="writes" valuePropName="checked" extra={t("form.writesAbout")}>
        <Checkbox>{t("form.writes")}</Checkbox>
      </Form.Item>
      <AmountField name="cpus" label={t("form.cpus")} min={0.1} max={64} step={0.5} />
      <AmountField name="memory_mib" label={t("form.memory")} min={64} max={262_144} step={256} />
      <AmountField name="idle_min" label={t("form.idle")} min={1} max={7 * DAY_MIN} step={10} />
      <AmountField name="limit_min" label={t("form.limit")} min={5} max={30 * DAY_MIN} step={60} />
    </>
  );
}

/** Fills the form with an app that is known to work; the image is left to choose. */
function PresetField({ form }: { form: FormInstance<AppForm> }) {
  const { t } = useTranslation("apps");
  const language = useLanguage();
  const presets = useAppPresets().data ?? [];
  return (
    <Form.Item label={t("form.preset")} htmlFor="dialog_preset">
      <Select
        id="dialog_preset"
        allowClear
        placeholder={t("form.presetNone")}
        options={presets.map((preset) => ({
          value: preset.name,
          label: titleOf(preset, language),
        }))}
        onChange={(name) => {
          const chosen = presets.find((preset) => preset.name === name);
          if (chosen) form.setFieldsValue(presetForm(chosen));
        }}
      />
    </Form.Item>
  );
}

function IconField() {
  const { t } = useTranslation("apps");
  return (
    <Form.Item name="icon" label={t("form.icon")}>
      <Select
        options={APP_ICONS.map((icon) => ({
          value: icon,
          label: (
            <>
              <AppIcon icon={icon} /> {t(`icon.${icon}`)}
            </>
          ),
        }))}
      />
    </Form.Item>
  );
}

function ServedAtField({ form }: { form: FormInstance<AppForm> }) {
  const { t } = useTranslation("apps");
  const hasHosts = useConfig()?.has_apps_hosts ?? true;
  const chosen = Form.useWatch("served_at", form);
  const isMissing = chosen === "host" && !hasHosts;
  return (
    <Form.Item
      name="served_at"
      label={t("form.servedAt")}
      extra={isMissing ? t("hostsMissing") : t("form.servedAtAbout")}
    >
      <Select
        options={SERVED_AT.map((place) => ({ value: place, label: t(`servedAt.${place}`) }))}
      />
    </Form.Item>
  );
}

function AppImageField() {
  const { t } = useTranslation("apps");
  const language = useLanguage();
  const images = useImages().data ?? [];
  return (
    <Form.Item
      name="image"
      label={t("column.image")}
      extra={t("form.imageAbout")}
      rules={[{ required: true, message: t("form.imageWrong") }]}
    >
      <Select
        options={images
          .filter(({ is_active }) => is_active)
          .map((image) => ({ value: image.id, label: titleOf(image, language) }))}
      />
    </Form.Item>
  );
}

interface AmountFieldProps {
  name: keyof AppForm;
  label: string;
  min: number;
  max: number;
  step: number;
}

function AmountField({ name, label, ...bounds }: AmountFieldProps) {
  return (
    <Form.Item name={name} label={label} rules={[{ required: true }]}>
      <InputNumber {...bounds} style={{ width: "100%" }} />
    </Form.Item>
  );
}
