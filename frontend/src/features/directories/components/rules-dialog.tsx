import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { AutoComplete, Button, Form, Select } from "antd";
import { useEffect, useState } from "react";
import type { Directory, DirectoryPlan } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { type RulesBody, useExternalGroups, useSaveRules, useTryRules } from "../api/directories";
import { type MappedRow, PLATFORM, rowsOf, rulesOf } from "../model/directory";
import styles from "./directories.module.css";
import { PlanView } from "./plan-view";

interface RulesFields {
  rules: MappedRow[];
}

/** Rules that were tried, by their text, with what they would change. */
interface Trial {
  rules: string;
  plan: DirectoryPlan;
}

interface StepOptions {
  onSuccess: () => void;
  onError: (error: Error) => void;
}

interface DirectoryRulesProps {
  directory: Directory;
  onClose: () => void;
}

/** What groups of a directory mean here: saved only after it was seen who gains and loses what. */
export function DirectoryRulesDialog({ directory, onClose }: DirectoryRulesProps) {
  const { t } = useTranslation("directories");
  const [trial, setTrial] = useState<Trial | null>(null);
  const [isSeen, setSeen] = useState(false);
  const save = useSaveRules(directory.id);
  const attempt = useTryRules(directory.id);
  const step = {
    isPending: save.isPending || attempt.isPending,
    error: save.error ?? attempt.error,
    reset: () => {
      save.reset();
      attempt.reset();
    },
    mutate: (body: RulesBody, options: StepOptions) => {
      const rules = JSON.stringify(body.rules);
      if (trial?.rules === rules) return save.mutate(body, options);
      const onSuccess = (plan: DirectoryPlan) => setTrial({ rules, plan });
      attempt.mutate(body.rules, { onSuccess, onError: options.onError });
    },
  };
  return (
    <EntityDialog<RulesFields, RulesBody>
      action={t(isSeen ? "rules.save" : "rules.try")}
      title={t("rulesOf", { title: directory.title })}
      initial={{ rules: rowsOf(directory.rules) }}
      save={step}
      bodyOf={({ rules }) => ({ rules: rulesOf(rules) })}
      version={directory.version}
      onClose={onClose}
    >
      <p className="quiet">{t("rules.about")}</p>
      <DirectoryRuleRows directory={directory} />
      <TrialOutcome trial={trial} onSeen={setSeen} />
    </EntityDialog>
  );
}

/** What the rules change as they stand in the form; nothing while they are not those that were tried. */
function TrialOutcome({
  trial,
  onSeen,
}: {
  trial: Trial | null;
  onSeen: (isSeen: boolean) => void;
}) {
  const rows: MappedRow[] | undefined = Form.useWatch("rules");
  const isSeen = trial !== null && trial.rules === JSON.stringify(rulesOf(rows?.filter(Boolean)));
  useEffect(() => onSeen(isSeen), [isSeen, onSeen]);
  return isSeen && <PlanView plan={trial.plan} />;
}

function DirectoryRuleRows({ directory }: { directory: Directory }) {
  const { t } = useTranslation("directories");
  const known = useExternalGroups(directory.id).data ?? [];
  const language = useLanguage();
  const groups = useGroups().data ?? [];
  const targets = [
    ...groups.map((group) => ({ value: group.name, label: titleOf(group, language) })),
    { value: PLATFORM, label: t("rules.platform") },
  ];
  return (
    <Form.List name="rules">
      {(rows, { add, remove }) => (
        <Form.Item>
          {rows.map(({ key, name: index }) => (
            <div key={key} className={styles.rule}>
              <Form.Item
                name={[index, "external_group"]}
                rules={[{ required: true, whitespace: true, message: t("rules.externalMissing") }]}
              >
                <AutoComplete
                  aria-label={t("rules.external", { number: index + 1 })}
                  placeholder={t("rules.externalPlaceholder")}
                  options={known.map(({ display_name }) => ({ value: display_name }))}
                  showSearch={{ filterOption: true }}
                />
              </Form.Item>
              <Form.Item
                name={[index, "target"]}
                rules={[{ required: true, message: t("rules.targetMissing") }]}
              >
                <Select
                  aria-label={t("rules.target", { number: index + 1 })}
                  placeholder={t("rules.targetPlaceholder")}
                  showSearch={{ optionFilterProp: "label" }}
                  options={targets}
                />
              </Form.Item>
              <MappedRoleField index={index} />
              <Button
                type="text"
                icon={<DeleteOutlined />}
                aria-label={t("rules.remove", { number: index + 1 })}
                onClick={() => remove(index)}
              />
            </div>
          ))}
          <Button icon={<PlusOutlined aria-hidden />} onClick={() => add({})}>
            {t("rules.add")}
          </Button>
        </Form.Item>
      )}
    </Form.List>
  );
}

const GROUP_ROLES = ["viewer", "developer", "group_admin"] as const;
const PLATFORM_ROLES = ["auditor", "operator", "platform_admin"] as const;

/** The roles of a group, or those over the platform. */
function MappedRoleField({ index }: { index: number }) {
  const { t } = useTranslation(["directories", "people"]);
  const target: string | undefined = Form.useWatch(["rules", index, "target"]);
  const inGroup = GROUP_ROLES.map((value) => ({ value, label: t(`people:role.${value}`) }));
  const above = PLATFORM_ROLES.map((value) => ({
    value,
    label: t(`people:platformRole.${value}`),
  }));
  const options: { value: string; label: string }[] = target === PLATFORM ? above : inGroup;
  return (
    <Form.Item
      name={[index, "role"]}
      dependencies={[["rules", index, "target"]]}
      rules={[
        {
          required: true,
          type: "enum",
          enum: options.map(({ value }) => value),
          message: t("rules.roleMissing"),
        },
      ]}
    >
      <Select
        aria-label={t("rules.role", { number: index + 1 })}
        placeholder={t("rules.rolePlaceholder")}
        options={options}
      />
    </Form.Item>
  );
}
