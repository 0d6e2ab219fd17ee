/** The dialog that changes the rules of a group or pool, with one line for each field. */
import { Flex, Form, Input, InputNumber, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { SubmissionRules, SubmissionRulesInput } from "@/shared/api/types";
import { useImages } from "@/shared/cluster/api/cluster";
import styles from "@/shared/submission/components/submission.module.css";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useSetRules } from "../api/rules";
import {
  isNumber,
  isWord,
  KNOWN_WORDS,
  type RuledField,
  type RuledKind,
  type RuleRows,
  type RulesOwner,
  ruleRows,
  rulesBody,
} from "../model/rules";

interface RulesDialogProps {
  kind: RuledKind;
  owner: RulesOwner;
  /** Title of the group or pool. */
  name: string;
  rules: SubmissionRules;
  onClose: () => void;
}

interface RulesForm {
  rows: RuleRows;
}

export function RulesDialog({ kind, owner, name, rules, onClose }: RulesDialogProps) {
  const { t } = useTranslation("rules");
  return (
    <EntityDialog<RulesForm, SubmissionRulesInput>
      title={t("title", { kind: t(`kind.${kind}`), owner: name })}
      action={t("save")}
      initial={{ rows: ruleRows(rules) }}
      save={useSetRules(kind, owner)}
      bodyOf={({ rows }) => rulesBody(rows, rules)}
      onClose={onClose}
    >
      {rules.rule_fields.map((field) => (
        <RuleRowFields key={field} field={field as RuledField} />
      ))}
    </EntityDialog>
  );
}

/** How one field binds, its default, its range, and what it may be. */
function RuleRowFields({ field }: { field: RuledField }) {
  const { t } = useTranslation(["rules", "submission"]);
  const label = t(`submission:template.field.${field}`);
  return (
    <div className={styles.setting}>
      <span>{label}</span>
      <Form.Item name={["rows", field, "mode"]} noStyle>
        <Select
          size="small"
          aria-label={t("mode.label", { field: label })}
          options={(["open", "locked", "required"] as const).map((value) => ({
            value,
            label: t(`mode.${value}`),
          }))}
        />
      </Form.Item>
      <Flex gap={8} wrap>
        <Form.Item name={["rows", field, "value"]} noStyle>
          <DefaultInput field={field} label={t("defaultOf", { field: label })} />
        </Form.Item>
        {isNumber(field) &&
          (["min", "max"] as const).map((end) => (
            <Form.Item key={end} name={["rows", field, end]} noStyle>
              <InputNumber
                size="small"
                min={0}
                placeholder={t(`bound.${end}`)}
                aria-label={t(`bound.${end}Of`, { field: label })}
              />
            </Form.Item>
          ))}
        {isWord(field) && (
          <Form.Item name={["rows", field, "choices"]} noStyle>
            <ChoicesInput field={field} label={t("choicesOf", { field: label })} />
          </Form.Item>
        )}
      </Flex>
    </div>
  );
}

/** Value, change handler and id are given by the form. */
function DefaultInput({ field, label, ...given }: { field: RuledField; label: string }) {
  const { t } = useTranslation("rules");
  const offered = useOfferedWords(field);
  const look = {
    size: "small",
    placeholder: t("default"),
    "aria-label": label,
    style: { minWidth: 110 },
  } as const;
  if (isNumber(field)) return <InputNumber {...given} {...look} min={0} />;
  if (!isWord(field))
    return (
      <Select
        {...given}
        {...look}
        allowClear
        options={[true, false].map((value) => ({ value, label: t(value ? "yes" : "no") }))}
      />
    );
  if (offered.length === 0) return <Input {...given} {...look} />;
  return (
    <Select
      {...given}
      {...look}
      allowClear
      options={offered.map((value) => ({ value, label: value }))}
    />
  );
}

function ChoicesInput({ field, label, ...given }: { field: RuledField; label: string }) {
  const { t } = useTranslation("rules");
  return (
    <Select
      {...given}
      size="small"
      mode="tags"
      allowClear
      style={{ minWidth: 180 }}
      placeholder={t("choices")}
      aria-label={label}
      options={useOfferedWords(field).map((value) => ({ value, label: value }))}
    />
  );
}

/** The words that can stand in a field; none where they are not known. */
function useOfferedWords(field: RuledField): readonly string[] {
  const images = useImages().data ?? [];
  if (field === "image") return images.map(({ name }) => name);
  return (isWord(field) && KNOWN_WORDS[field]) || [];
}
