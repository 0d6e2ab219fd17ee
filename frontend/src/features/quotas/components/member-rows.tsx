/** Ceilings of single members: lines below their quota in the editor, and a line to add one more. */
import { Button, Form, Select } from "antd";
import type { Group, Me, UserRef } from "@/shared/api/types";
import { useGroupMembers } from "@/shared/cluster/api/cluster";
import { titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";
import { isHeadOf, isPlatformAdmin } from "@/shared/session/roles";
import { type EditorRow, FIELDS } from "../model/drafts";
import {
  type CeilingRow,
  ceilingOf,
  ceilingText,
  isCeilingOutdated,
  type MemberDraft,
  type MemberDrafts,
  newCeiling,
  rebasedCeiling,
  withCeiling,
  withoutCeiling,
} from "../model/member-drafts";
import styles from "./quota-editor.module.css";
import { useCeilingWords, useScopeWords } from "./quota-words";

type ChangeMembers = (next: (drafts: MemberDrafts) => MemberDrafts) => void;

/** What the reader may set: nobody but administrators sets a ceiling of its own. */
export function mayLimit(me: Me, row: EditorRow, userId: string): boolean {
  if (isPlatformAdmin(me)) return true;
  return me.id !== userId && mayLimitIn(me, row);
}

function mayLimitIn(me: Me, { group, above }: EditorRow): boolean {
  return isPlatformAdmin(me) || [group, ...above].some((id) => isHeadOf(me, id));
}

function nameOf({ display_name, username }: UserRef): string {
  return display_name || username;
}

interface MemberLineProps {
  row: CeilingRow;
  draft: MemberDraft | undefined;
  refusal: string | undefined;
  isEditable: boolean;
  onMember: ChangeMembers;
}

/** One member's ceiling, in the column of ceilings. */
export function MemberLine({ row, draft, refusal, isEditable, onMember }: MemberLineProps) {
  const { t } = useTranslation("quotas");
  const scope = useScopeWords();
  const say = useCeilingWords();
  const { subject, user, saved, key } = row;
  const name = nameOf(user);
  const label = t("editor.memberCeiling", { name, quota: scope(subject) });
  const text = ceilingText(row, draft);
  const isWrong = ceilingOf(row, text) === undefined;
  const type = (typed: string) => onMember((drafts) => withCeiling(drafts, row, typed));
  const cell = isEditable ? (
    <input
      className={styles.cell}
      aria-label={label}
      data-field="ceiling"
      data-changed={draft !== undefined}
      inputMode="decimal"
      autoComplete="off"
      maxLength={16}
      value={text}
      placeholder={t("member.asGroup")}
      aria-invalid={isWrong || refusal !== undefined}
      onChange={({ target }) => type(target.value)}
      onKeyDown={({ key: pressed }) =>
        pressed === "Escape" && onMember((drafts) => withoutCeiling(drafts, key))
      }
    />
  ) : (
    <span className="num quiet">{say(subject.resource, saved)}</span>
  );
  return (
    <>
      <tr data-member={name}>
        <th scope="row" className={styles.group}>
          <span className="visually-hidden">{name}</span>
        </th>
        <td className={styles.member}>{name}</td>
        {FIELDS.map((field) => (
          <td key={field} data-label={field === "ceiling" ? t("limit.ceiling") : ""}>
            {field === "ceiling" ? (
              <>
                {cell}
                {isWrong && (
                  <span className={styles.fault} role="alert">
                    {t("editor.noAmount")}
                  </span>
                )}
                {draft && !isWrong && (
                  <span className={styles.was}>
                    {t("editor.was", { amount: say(subject.resource, draft.before) })}
                  </span>
                )}
              </>
            ) : (
              <span className="quiet">–</span>
            )}
          </td>
        ))}
        <td />
        <td>
          {isEditable && text !== "" && (
            <Button
              size="small"
              aria-label={`${t("editor.remove")}: ${label}`}
              onClick={() => type("")}
            >
              {t("editor.remove")}
            </Button>
          )}
        </td>
      </tr>
      {(refusal || isCeilingOutdated(row, draft)) && (
        <tr>
          <td colSpan={FIELDS.length + 4} className={styles.said}>
            <MemberNote {...{ row, draft, refusal, label, onMember }} />
          </td>
        </tr>
      )}
    </>
  );
}

interface MemberNoteProps extends Omit<MemberLineProps, "isEditable"> {
  label: string;
}

/** What the server refused, or that someone else has set the ceiling meanwhile: whose is kept? */
function MemberNote({ row, draft, refusal, label, onMember }: MemberNoteProps) {
  const { t } = useTranslation("quotas");
  const say = useCeilingWords();
  if (!isCeilingOutdated(row, draft)) return <span role="alert">{refusal}</span>;
  const now = `${t("limit.ceiling")} ${say(row.subject.resource, row.saved)}`;
  return (
    <>
      <span role="alert">{t("editor.outdated", { now })}</span>{" "}
      <Button
        size="small"
        aria-label={`${t("editor.keepMine")}: ${label}`}
        onClick={() => onMember((drafts) => rebasedCeiling(drafts, row))}
      >
        {t("editor.keepMine")}
      </Button>{" "}
      <Button
        size="small"
        aria-label={`${t("editor.takeTheirs")}: ${label}`}
        onClick={() => onMember((drafts) => withoutCeiling(drafts, row.key))}
      >
        {t("editor.takeTheirs")}
      </Button>
    </>
  );
}

interface MemberForm {
  group: string;
  quota: string;
  user: string;
}

interface AddMemberProps {
  me: Me;
  groups: readonly Group[];
  rows: readonly EditorRow[];
  /** Keys of the lines that there are. */
  known: ReadonlySet<string>;
  onMember: ChangeMembers;
}

/** Chooses a member and a quota of the group, and sets a line for both into the table. */
export function AddMember({ me, groups, rows, known, onMember }: AddMemberProps) {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const scope = useScopeWords();
  const [form] = Form.useForm<MemberForm>();
  const chosen: string | undefined = Form.useWatch("group", form);
  const members = useGroupMembers(chosen);
  const quotas = rows.filter((row) => !row.isEmpty && row.saved && mayLimitIn(me, row));
  const limited = groups.filter(({ id }) => quotas.some(({ group }) => group === id));
  if (limited.length === 0) return null;
  const add = ({ quota, user }: MemberForm) => {
    const row = quotas.find(({ key }) => key === quota);
    const member = members.data?.find((each) => each.user.id === user)?.user;
    if (!row || !member) return;
    const line = newCeiling(row, member);
    if (known.has(line.key)) {
      form.setFields([{ name: "user", errors: [t("editor.memberExists")] }]);
      return;
    }
    onMember((drafts) => withCeiling(drafts, line, ""));
  };
  const required = [{ required: true, message: t("editor.choose") }];
  return (
    <section aria-label={t("editor.addMember")}>
      <Form<MemberForm>
        form={form}
        name="add-member"
        layout="vertical"
        requiredMark={false}
        className={styles.add ?? ""}
        onFinish={add}
      >
        <Form.Item name="group" label={t("column.group")} rules={required}>
          <Select
            showSearch={{ optionFilterProp: "label" }}
            options={titleOptions(limited, language)}
            onChange={() => form.resetFields(["quota", "user"])}
          />
        </Form.Item>
        <Form.Item name="quota" label={t("editor.quota")} rules={required}>
          <Select
            options={quotas
              .filter(({ group }) => group === chosen)
              .map((row) => ({ value: row.key, label: scope(row) }))}
          />
        </Form.Item>
        <Form.Item name="user" label={t("member.column")} rules={required}>
          <Select
            showSearch={{ optionFilterProp: "label" }}
            loading={members.isLoading}
            options={(members.data ?? [])
              .filter(({ user }) => isPlatformAdmin(me) || user.id !== me.id)
              .map(({ user }) => ({ value: user.id, label: nameOf(user) }))}
          />
        </Form.Item>
        <Button htmlType="submit">{t("editor.addMember")}</Button>
      </Form>
    </section>
  );
}
