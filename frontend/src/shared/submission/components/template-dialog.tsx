/** The dialog that stores settings as a template, or changes one, and the buttons that open it. */

import { Button, Flex, Form, Input, InputNumber, Select } from "antd";
import type { Template, TemplateInput } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { EntityDialog, EntityName } from "@/shared/ui/entity-dialog";
import type { SubmittedKind } from "@/shared/workload/model/kinds";
import { useSaveTemplate } from "../api/templates";
import {
  boundsOf,
  EVERYONE,
  MINE,
  numbersOf,
  ownerOf,
  type RangeRow,
  rangeRows,
  type SettingName,
  settingsOf,
  settingWords,
  type TemplateTerms,
} from "../model/templates";
import styles from "./submission.module.css";

const NAME = /^['‘’]?[\p{L}\p{N}]/u; // locale-check: first characters of names
const DESCRIPTION_MAX = 300;

/** Whether a setting is part of the template, and whether it binds. */
type Mode = "default" | "locked" | "out";

interface TemplateFields {
  name: string;
  description: string;
  owner: string;
  modes: Record<string, Mode>;
  ranges: Record<string, RangeRow | undefined>;
}

interface TemplateDialogProps {
  kind: SubmittedKind;
  terms: TemplateTerms;
  /** The template that is changed; none stores a new one. */
  template?: Template | undefined;
  onClose: () => void;
}

export function TemplateDialog({ kind, terms, template, onClose }: TemplateDialogProps) {
  const { t } = useTranslation("submission");
  const { settings, locked, ranges } = terms;
  const numbers = numbersOf(settings);
  const names = Object.keys(settings) as SettingName[];
  const modes = names.map((name) => [name, locked.includes(name) ? "locked" : "default"]);
  return (
    <EntityDialog<TemplateFields, TemplateInput>
      title={template ? t("template.changeNamed", { name: template.name }) : t("template.save")}
      action={t("template.action")}
      initial={{
        name: template?.name ?? "",
        description: template?.description ?? "",
        owner: MINE,
        modes: Object.fromEntries(modes),
        ranges: rangeRows(ranges),
      }}
      save={useSaveTemplate(kind, template?.id)}
      version={template?.version}
      bodyOf={(fields) => inputOf(fields, settings)}
      onClose={onClose}
    >
      <EntityName
        label={t("name")}
        about={t("template.nameAbout")}
        pattern={NAME}
        message={t("nameWrong")}
        maxLength={63}
      />
      <Form.Item name="description" label={t("template.description")}>
        <Input autoComplete="off" maxLength={DESCRIPTION_MAX} />
      </Form.Item>
      {!template && <OwnerField />}
      <Form.Item label={t("template.settings")} extra={t("template.settingsAbout")}>
        {names.map((name) => (
          <SettingRow
            key={name}
            name={name}
            value={settings[name]}
            isNumber={numbers.includes(name)}
          />
        ))}
      </Form.Item>
    </EntityDialog>
  );
}

function inputOf(fields: TemplateFields, settings: Record<string, unknown>): TemplateInput {
  const { name, description = "", owner = MINE, modes, ranges } = fields;
  const kept = Object.keys(settings).filter((key) => modes[key] !== "out");
  const bounded = Object.entries(ranges ?? {}).filter(([key]) => modes[key] === "default");
  return {
    name: name.trim(),
    description: description.trim(),
    ...ownerOf(owner),
    settings: Object.fromEntries(kept.map((key) => [key, settings[key]])),
    locked: kept.filter((key) => modes[key] === "locked"),
    ranges: boundsOf(Object.fromEntries(bounded)),
  };
}

/** For oneself, for a group that one administers, or for everyone. */
function OwnerField() {
  const language = useLanguage();
  const { t } = useTranslation("submission");
  const me = useMe();
  const groups = me.memberships.filter(({ role }) => role === "group_admin");
  const options = [
    { value: MINE, label: t("template.mine") },
    ...groups.map(({ group }) => ({ value: group.id, label: titleOf(group, language) })),
    ...(isPlatformAdmin(me) ? [{ value: EVERYONE, label: t("template.platform") }] : []),
  ];
  if (options.length === 1) return null;
  return (
    <Form.Item name="owner" label={t("template.owner")} extra={t("template.ownerAbout")}>
      <Select options={options} />
    </Form.Item>
  );
}

interface SettingRowProps {
  name: SettingName;
  value: unknown;
  isNumber: boolean;
}

/** One setting with its value: left out, default or locked; a number may have bounds. */
function SettingRow({ name, value, isNumber }: SettingRowProps) {
  const { t } = useTranslation("submission");
  const label = t(`template.field.${name}`);
  const mode: Mode | undefined = Form.useWatch(["modes", name]);
  return (
    <div className={styles.setting}>
      <span>
        {label} <span className="second">{settingWords(name, value)}</span>
      </span>
      <Form.Item name={["modes", name]} noStyle>
        <Select
          size="small"
          aria-label={label}
          options={(["default", "locked", "out"] as const).map((value) => ({
            value,
            label: t(`template.mode.${value}`),
          }))}
        />
      </Form.Item>
      {isNumber && mode === "default" && (
        <Flex gap={8}>
          {(["min", "max"] as const).map((end) => (
            <Form.Item key={end} name={["ranges", name, end]} noStyle>
              <InputNumber
                size="small"
                min={0}
                placeholder={t(`template.${end}`)}
                aria-label={t(`template.${end}Of`, { field: label })}
              />
            </Form.Item>
          ))}
        </Flex>
      )}
    </div>
  );
}

/** What is stored: settings, and the template that they replace. */
export type SavedTerms = Pick<TemplateDialogProps, "terms" | "template">;

interface SaveTemplateButtonsProps {
  /** The template that the form was opened with. */
  template: Template | null;
  /** What the form would submit; null while it is not complete. */
  body: object | null;
  /** Opens the dialog, which stands outside of the form. */
  onSave: (saved: SavedTerms) => void;
}

/** Stores what a form holds as a new template, or in the one that it was opened with. */
export function SaveTemplateButtons({ template, body, onSave }: SaveTemplateButtonsProps) {
  const { t } = useTranslation("submission");
  const start = (changed?: Template) => {
    const { locked, ranges } = template ?? { locked: [], ranges: {} };
    const bound = locked.map((name) => [name, template?.settings[name]]);
    const settings = { ...settingsOf(body ?? {}), ...Object.fromEntries(bound) };
    onSave({ terms: { settings, locked, ranges }, template: changed });
  };
  return (
    <Flex vertical gap={8}>
      {template?.may_change && (
        <Button block disabled={!body} onClick={() => start(template)}>
          {t("template.changeNamed", { name: template.name })}
        </Button>
      )}
      <Button block disabled={!body} onClick={() => start()}>
        {t("template.save")}
      </Button>
    </Flex>
  );
}
