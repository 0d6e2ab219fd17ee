/** The dialog that stores settings as a template, or changes one, and the buttons that open it. */

import { Flex, Form, Input, InputNumber, Select } from "antd";
import type { ReactNode } from "react";
import type { GroupRef, JobInput, Template, TemplateInput } from "@/shared/api/types";
import { useImages, usePools } from "@/shared/cluster/api/cluster";
import type { Priority } from "@/shared/cluster/api/limits";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { EntityDialog, EntityName } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import type { SubmittedKind } from "@/shared/workload/model/kinds";
import { useSaveTemplate } from "../api/templates";
import type { SilenceChoice } from "../model/submission";
import {
  boundsOf,
  EVERYONE,
  MINE,
  numbersOf,
  ownerOf,
  type RangeRow,
  rangeRows,
  type SettingName,
  settingWords,
  type TemplateTerms,
} from "../model/templates";
import { FormFold } from "./form-fold";
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
  const messages = useMessages();
  const save = useSaveTemplate(kind, template?.id);
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
      save={{
        ...save,
        mutate: (body, act) =>
          save.mutate(body, {
            ...act,
            onSuccess: () => {
              messages.success(t("template.saved", { name: body.name }));
              act.onSuccess();
            },
          }),
      }}
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
      <SettingsFold isMine={(template?.scope ?? MINE) === MINE}>
        {names.map((name) => (
          <SettingRow
            key={name}
            name={name}
            value={settings[name]}
            isNumber={numbers.includes(name)}
          />
        ))}
      </SettingsFold>
    </EntityDialog>
  );
}

interface SettingsFoldProps {
  /** Whether the template is for oneself, as long as no other owner is chosen. */
  isMine: boolean;
  children: ReactNode[];
}

/** What the template holds: of one's own nobody needs to see that, of others' their terms. */
function SettingsFold({ isMine, children }: SettingsFoldProps) {
  const { t } = useTranslation("submission");
  const owner: string | undefined = Form.useWatch("owner");
  const isOwn = isMine && (owner ?? MINE) === MINE;
  return (
    <FormFold
      key={String(isOwn)}
      title={t("template.settings")}
      digest={t("template.kept", { count: children.length })}
      isOpen={!isOwn}
    >
      <p className="second">{t("template.settingsAbout")}</p>
      {children}
    </FormFold>
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
  const words = useSettingWords();
  const mode: Mode | undefined = Form.useWatch(["modes", name]);
  return (
    <div className={styles.setting}>
      <span>
        {label} <span className="second">{words(name, value)}</span>
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

/** A setting in few words: the titles of what it names, and the words of codes. */
function useSettingWords(): (name: SettingName, value: unknown) => string {
  const { t } = useTranslation(["submission", "workload", "jobs"]);
  const language = useLanguage();
  const { memberships } = useMe();
  const titled: Partial<Record<SettingName, readonly GroupRef[]>> = {
    image: useImages().data ?? [],
    pool: usePools().data ?? [],
    group: memberships.map(({ group }) => group),
  };
  const coded: Partial<Record<SettingName, (code: never) => string>> = {
    restart: ({ rule }: { rule: NonNullable<NonNullable<JobInput["restart"]>["rule"]> }) =>
      t(`jobs:restart.rules.${rule}`),
    launcher: (launcher: NonNullable<JobInput["launcher"]>) => t(`jobs:form.launchers.${launcher}`),
    priority: (priority: Priority) => t(`workload:priority.${priority}`),
    silence: (silence: SilenceChoice) => t(`silence.${silence}`),
  };
  return (name, value) => {
    const known = titled[name]?.find((each) => each.name === value);
    if (known) return titleOf(known, language);
    return coded[name]?.(value as never) ?? settingWords(name, value);
  };
}

/** What is stored: settings, and the template that they replace. */
export type SavedTerms = Pick<TemplateDialogProps, "terms" | "template">;
