import { Alert, Button, Flex, Form } from "antd";
import { type ChangeEvent, useRef, useState } from "react";
import { problemOf } from "@/shared/api/problem";
import type { Group, MemberLimit, Quota, QuotaCapacity } from "@/shared/api/types";
import { useGroups, useQuotas } from "@/shared/cluster/api/cluster";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { UnsavedGuard } from "@/shared/ui/long-form";
import { PageHeader } from "@/shared/ui/page";
import { bothOf, ProblemAlert, QueryBoundary } from "@/shared/ui/query-states";
import { useCapacities, usePreviewQuotaChange, useReadCsv } from "../api/quota-changes";
import { useMemberLimits } from "../api/quotas";
import {
  countChanges,
  type Drafts,
  draftsOf,
  type EditorRow,
  editorRows,
  editsOf,
  FIELDS,
  faultsOf,
  keyOf,
  NO_DRAFTS,
  type Refusal,
  type Refusals,
  sumPromises,
  withFile,
  withNew,
} from "../model/drafts";
import {
  ceilingRows,
  isFaulty,
  type MemberDrafts,
  memberDraftsOf,
  memberEditsOf,
  NO_MEMBER_DRAFTS,
} from "../model/member-drafts";
import { ALL_POOLS, isOfModel, type NewQuotaForm } from "../model/quotas";
import { EditorTable } from "./editor-table";
import { AddMember, MemberLine, mayLimit } from "./member-rows";
import { PreviewDialog } from "./preview-dialog";
import { QuotaSubjectFields } from "./quota-dialog";
import styles from "./quota-editor.module.css";
import { SumsPanel } from "./sums-panel";

const FILE_BYTES_MAX = 200_000;
/** What is left of bytes that are not UTF-8, and of other codes than text. */
const NO_TEXT = /[\0\ufffd]/;

/** What is typed, and what the server said of it, which holds until something else is typed. */
function useEdits() {
  const [drafts, setDrafts] = useState<Drafts>(NO_DRAFTS);
  const [members, setMembers] = useState<MemberDrafts>(NO_MEMBER_DRAFTS);
  const [refusals, setRefusals] = useState(NO_REFUSALS);
  const [note, setNote] = useState<Note | null>(null);
  const preview = usePreviewQuotaChange();
  const forget = () => {
    setRefusals(NO_REFUSALS);
    preview.reset();
  };
  const onDraft = (next: (drafts: Drafts) => Drafts) => {
    forget();
    setDrafts(next);
  };
  const onMember = (next: (drafts: MemberDrafts) => MemberDrafts) => {
    forget();
    setMembers(next);
  };
  const discard = () => {
    onDraft(() => NO_DRAFTS);
    onMember(() => NO_MEMBER_DRAFTS);
    setNote(null);
  };
  const changes = countChanges(drafts) + memberEditsOf(members).keys.length;
  return {
    ...{ drafts, members, changes, onDraft, onMember, discard },
    ...{ refusals, setRefusals, preview, note, setNote },
  };
}

type Edits = ReturnType<typeof useEdits>;

/** The quotas of all groups as a table of cells: typed, previewed and saved together. */
export function QuotaEditor({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("quotas");
  const both = bothOf(useGroups(), useQuotas(null));
  const limits = useMemberLimits();
  const edits = useEdits();
  return (
    <>
      <UnsavedGuard isUnsaved={() => edits.changes > 0} />
      <PageHeader
        title={t("editor.title")}
        about={t("editor.about")}
        actions={
          <>
            <Button href="/api/v1/quotas/csv" download>
              {t("editor.export")}
            </Button>
            <ImportButton edits={edits} />
            <Button onClick={onClose}>{t("editor.close")}</Button>
          </>
        }
      />
      <QueryBoundary query={bothOf(bothOf(both, useCapacities()), limits)} rows={8}>
        {([[[groups, quotas], capacities], ofMembers]) => (
          <Editor
            groups={groups}
            quotas={quotas}
            capacities={capacities}
            limits={ofMembers}
            edits={edits}
          />
        )}
      </QueryBoundary>
    </>
  );
}

interface EditorProps {
  groups: readonly Group[];
  quotas: readonly Quota[];
  capacities: readonly QuotaCapacity[];
  limits: readonly MemberLimit[];
  edits: Edits;
}

const NO_REFUSALS: Refusals = {};

function Editor({ groups, quotas, capacities, limits, edits }: EditorProps) {
  const { drafts, onDraft, members, onMember, refusals, preview, discard } = edits;
  const language = useLanguage();
  const me = useMe();
  const rows = editorRows(groups, quotas, drafts, language);
  const sums = sumPromises(groups, rows, drafts, capacities);
  const lines = ceilingRows(quotas, limits, members);
  const known = new Set([...lines.values()].flat().map(({ key }) => key));
  const asked = editsOf(rows, drafts);
  const ofMembers = memberEditsOf(members);
  const body = { changes: asked.changes, members: ofMembers.members };
  const hasFaults =
    rows.some((row) => Object.keys(faultsOf(row, drafts[row.key])).length > 0) ||
    Object.values(members).some(isFaulty);
  const keys = { changes: asked.keys, members: ofMembers.keys };
  const refuse = (error: Error) => edits.setRefusals(refusalsOf(error, keys));
  const look = () => preview.mutate(body, { onError: refuse });
  return (
    <div className="stack">
      <SumsPanel sums={sums} />
      <EditorTable
        rows={rows}
        drafts={drafts}
        sums={sums}
        refusals={refusals}
        me={me}
        groups={groups}
        onDraft={onDraft}
        below={(row) =>
          lines
            .get(row.key)
            ?.map((line) => (
              <MemberLine
                key={line.key}
                row={line}
                draft={members[line.key]}
                refusal={refusals[line.key]?.[0]?.detail}
                isEditable={mayLimit(me, row, line.user.id)}
                onMember={onMember}
              />
            ))
        }
      />
      {isPlatformAdmin(me) && <AddRow rows={rows} onDraft={onDraft} />}
      <AddMember me={me} groups={groups} rows={rows} known={known} onMember={onMember} />
      {preview.error && <ProblemAlert error={preview.error} />}
      <ChangesBar
        changes={edits.changes}
        hasFaults={hasFaults}
        isBusy={preview.isPending}
        onDiscard={discard}
        onPreview={look}
      />
      {preview.data && (
        <PreviewDialog
          preview={preview.data}
          asked={body}
          onClose={() => preview.reset()}
          onSaved={discard}
          onRefused={refuse}
        />
      )}
    </div>
  );
}

type SubjectForm = Pick<NewQuotaForm, "group" | "pool" | "resource" | "model">;

interface AddRowProps {
  rows: readonly EditorRow[];
  onDraft: Edits["onDraft"];
}

/** Chooses what has no quota yet and sets a row of cells for it into the table. */
function AddRow({ rows, onDraft }: AddRowProps) {
  const { t } = useTranslation("quotas");
  const [form] = Form.useForm<SubjectForm>();
  const add = ({ group, pool, resource, model }: SubjectForm) => {
    const ofModel = isOfModel({ resource, model: model ?? "" });
    const subject = { group, pool: pool || null, resource, model: ofModel ? (model ?? "") : "" };
    if (rows.some(({ key }) => key === keyOf(subject))) {
      form.setFields([{ name: "group", errors: [t("editor.exists")] }]);
      return;
    }
    onDraft((drafts) => withNew(drafts, subject));
  };
  return (
    <section aria-label={t("addQuota")}>
      <Form<SubjectForm>
        form={form}
        name="add-quota"
        layout="vertical"
        requiredMark={false}
        className={styles.add ?? ""}
        initialValues={{ pool: ALL_POOLS, resource: "gpu", model: "" }}
        onFinish={add}
      >
        <QuotaSubjectFields />
        <Button htmlType="submit">{t("addQuota")}</Button>
      </Form>
    </section>
  );
}

type EditKeys = Readonly<Record<string, readonly string[]>>;

/** Faults of a change, each at the row or cell that its pointer names: `/changes/2/after/ceiling`. */
function refusalsOf(error: Error, keys: EditKeys): Refusals {
  const found: Record<string, Refusal[]> = {};
  for (const { pointer, detail } of problemOf(error).errors) {
    const [, kind = "", position, , field] = pointer.split("/");
    const key = keys[kind]?.[Number(position)];
    if (key !== undefined) {
      found[key] = [...(found[key] ?? []), { field: FIELDS.find((one) => one === field), detail }];
    }
  }
  return found;
}

interface ChangesBarProps {
  changes: number;
  hasFaults: boolean;
  isBusy: boolean;
  onDiscard: () => void;
  onPreview: () => void;
}

function ChangesBar({ changes, hasFaults, isBusy, onDiscard, onPreview }: ChangesBarProps) {
  const { t } = useTranslation("quotas");
  return (
    <section className={styles.bar} aria-label={t("editor.pending")}>
      <span role="status">
        {changes === 0 ? t("editor.unchanged") : t("editor.changed", { count: changes })}
        {hasFaults && ` · ${t("editor.faulty")}`}
      </span>
      <Flex gap={8} wrap>
        <Button disabled={changes === 0} onClick={onDiscard}>
          {t("editor.discard")}
        </Button>
        <Button
          type="primary"
          disabled={changes === 0 || hasFaults}
          loading={isBusy}
          onClick={onPreview}
        >
          {t("editor.preview")}
        </Button>
      </Flex>
    </section>
  );
}

/** The text of a file in UTF-8, without its mark. */
function textOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsText(file);
  });
}

interface Note {
  type: "info" | "error";
  text: string;
}

/** Fills the cells from a file; nothing is saved before the preview is confirmed. */
function ImportButton({ edits }: { edits: Edits }) {
  const { t } = useTranslation("quotas");
  const input = useRef<HTMLInputElement>(null);
  const { note, setNote } = edits;
  const read = useReadCsv();
  const refuse = (text: string) => {
    read.reset();
    setNote({ type: "error", text });
  };
  const take = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    target.value = ""; // so that the same file can be chosen again once it is mended
    if (!file) return;
    if (file.size > FILE_BYTES_MAX) return refuse(t("editor.tooLarge"));
    const text = await textOf(file);
    if (text.trim() === "") return refuse(t("editor.emptyFile"));
    if (NO_TEXT.test(text)) return refuse(t("editor.noText"));
    setNote(null);
    read.mutate(text, {
      onSuccess: ({ changes, members }) => {
        edits.onDraft((drafts) => withFile(drafts, draftsOf(changes)));
        edits.onMember((drafts) => ({ ...drafts, ...memberDraftsOf(members) }));
        const count = changes.length + members.length;
        setNote({ type: "info", text: t("editor.imported", { count }) });
      },
    });
  };
  return (
    <>
      <Button loading={read.isPending} onClick={() => input.current?.click()}>
        {t("editor.import")}
      </Button>
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        className="visually-hidden"
        aria-label={t("editor.importFile")}
        tabIndex={-1}
        onChange={(event) => void take(event)}
      />
      {note && (
        <Alert
          className={styles.note ?? ""}
          type={note.type}
          showIcon
          title={note.text}
          role={note.type === "error" ? "alert" : "status"}
        />
      )}
      {read.error && (
        <div className={styles.note}>
          <ProblemAlert error={read.error} />
        </div>
      )}
    </>
  );
}
