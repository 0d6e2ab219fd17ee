import { Alert, Input, Modal } from "antd";
import { type ReactNode, useId, useState } from "react";
import type { QuotaPreview, UserRef } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { formatAmount } from "@/shared/cluster/model/quotas";
import {
  titleIn,
  titleOf,
  useCodedText,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { useMessages } from "@/shared/ui/messages";
import { ProblemAlert } from "@/shared/ui/query-states";
import { ReasonList } from "@/shared/workload/components/waiting-panel";
import { GlimpseName } from "@/shared/workload/components/workload-link";
import { type ChangeAsked, useSaveQuotaChange } from "../api/quota-changes";
import styles from "./quota-editor.module.css";
import { useCeilingWords, useQuotaChangeWords, useScopeWords } from "./quota-words";

const REASON_MAX = 500;

interface PreviewDialogProps {
  preview: QuotaPreview;
  asked: ChangeAsked;
  onClose: () => void;
  onSaved: () => void;
  onRefused?: (error: Error) => void;
}

/** What a change would do, by the scheduler's own decision; then why, and saved. */
export function PreviewDialog({ preview, asked, ...act }: PreviewDialogProps) {
  const { onClose, onSaved, onRefused } = act;
  const { t } = useTranslation(["quotas", "ui"]);
  const messages = useMessages();
  const save = useSaveQuotaChange();
  const [reason, setReason] = useState("");
  const reasonId = useId();
  const send = () =>
    save.mutate(
      { ...asked, reason },
      {
        onSuccess: () => {
          messages.success(t("preview.saved"));
          onClose();
          onSaved();
        },
        onError: (error) => onRefused?.(error),
      },
    );
  return (
    <Modal
      open
      width={720}
      title={"undo" in asked ? t("preview.undoTitle") : t("preview.title")}
      okText={t("preview.save", {
        count: preview.changes.length + preview.members.length,
      })}
      cancelText={t("preview.back")}
      confirmLoading={save.isPending}
      onOk={send}
      onCancel={onClose}
    >
      <div className="stack">
        <ChangeList preview={preview} />
        <EffectList preview={preview} />
        <div>
          <label htmlFor={reasonId}>{t("preview.reason")}</label>
          <Input.TextArea
            id={reasonId}
            rows={2}
            maxLength={REASON_MAX}
            value={reason}
            placeholder={t("preview.reasonAbout")}
            onChange={({ target }) => setReason(target.value)}
          />
        </div>
        {save.error && <ProblemAlert error={save.error} />}
      </div>
    </Modal>
  );
}

function ChangeList({ preview: { changes, members } }: { preview: QuotaPreview }) {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const groups = useGroups().data ?? [];
  const scope = useScopeWords();
  const words = useQuotaChangeWords();
  return (
    <ul className={styles.changes} aria-label={t("preview.changes")}>
      {changes.map((edit) => (
        <li key={`${edit.group} ${edit.pool} ${edit.resource} ${edit.model}`}>
          <strong>{titleIn(groups, edit.group, language) ?? edit.group}</strong>
          {` · ${scope(edit)}`}
          <span className="second num">{words(edit)}</span>
        </li>
      ))}
      {members.map((edit) => (
        <li key={`${edit.user.id} ${edit.group} ${edit.pool} ${edit.resource} ${edit.model}`}>
          <MemberChange {...edit} group={titleIn(groups, edit.group, language) ?? edit.group} />
        </li>
      ))}
    </ul>
  );
}

/** Over-commits, then what happens to work; a sentence where nothing does. */
function EffectList({ preview }: { preview: QuotaPreview }) {
  const { t } = useTranslation("quotas");
  const parts = [
    <Overcommits key="overcommits" preview={preview} />,
    <WorkPart key="starts" title="starts" {...preview.starts} />,
    <WorkPart key="possible" title="possible" {...preview.possible} />,
    <WorkPart key="heldBack" title="heldBack" {...preview.held_back} />,
    <ImpossibleWork key="impossible" preview={preview} />,
    <WorkThatStops key="stops" preview={preview} />,
    <Exposures key="exposures" preview={preview} />,
    <Exceeded key="exceeded" preview={preview} />,
  ];
  const { starts, possible, held_back, exposures, exceeded } = preview;
  const touched =
    starts.total +
    possible.total +
    held_back.total +
    preview.impossible_total +
    preview.stops_total +
    exposures.length +
    exceeded.length;
  return (
    <section className={styles.effects} aria-label={t("preview.effect")}>
      {parts}
      {touched === 0 && <p className="quiet">{t("preview.nothing")}</p>}
      <p className="second">{t("preview.basis", { count: preview.waiting })}</p>
    </section>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3>{title}</h3>
      <ul>{children}</ul>
    </div>
  );
}

function Overcommits({ preview: { overcommits } }: { preview: QuotaPreview }) {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const scope = useScopeWords();
  if (overcommits.length === 0) {
    return <Alert type="success" showIcon title={t("preview.noOvercommit")} />;
  }
  return (
    <Alert
      type="warning"
      showIcon
      title={t("preview.overcommit")}
      description={
        <ul className={styles.faults}>
          {overcommits.map((over) => {
            const where = { pool: over.pool?.id ?? null, resource: over.resource, model: "" };
            const said = {
              what: t(`limit.${over.kind}`),
              scope: scope(where),
              group: over.group && titleOf(over.group, language),
              promised: formatAmount(over.resource, over.promised, language),
              available: formatAmount(over.resource, over.available, language),
            };
            const ofGroup = over.is_ceiling ? "preview.overCeiling" : "preview.overGroup";
            return (
              <li key={`${where.pool} ${over.resource} ${over.kind} ${over.group?.id}`}>
                {t(over.group ? ofGroup : "preview.overCapacity", said)}
                {!over.is_new && <span className="quiet"> {t("preview.already")}</span>}
              </li>
            );
          })}
        </ul>
      }
    />
  );
}

interface WorkPartProps {
  title: "starts" | "possible" | "heldBack";
  total: number;
  works: QuotaPreview["starts"]["works"];
}

function WorkPart({ title, total, works }: WorkPartProps) {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  if (total === 0) return null;
  return (
    <Part title={t(`preview.${title}`, { count: total })}>
      {works.map((work, index) => (
        <li key={work.id ?? `other ${index}`}>
          <GlimpseName work={work} />
          {work.group && <span className="quiet"> {titleOf(work.group, language)}</span>}
        </li>
      ))}
      {total > works.length && <li>{t("preview.more", { count: total - works.length })}</li>}
    </Part>
  );
}

function ImpossibleWork({ preview }: { preview: QuotaPreview }) {
  const { t } = useTranslation("quotas");
  const { impossible, impossible_total: total } = preview;
  if (total === 0) return null;
  return (
    <Part title={t("preview.impossible", { count: total })}>
      {impossible.map(({ work, reasons }, index) => (
        <li key={work.id ?? `other ${index}`}>
          <GlimpseName work={work} />
          <ReasonList reasons={reasons} />
        </li>
      ))}
      {total > impossible.length && (
        <li>{t("preview.more", { count: total - impossible.length })}</li>
      )}
    </Part>
  );
}

function WorkThatStops({ preview: { stops, stops_total: total } }: { preview: QuotaPreview }) {
  const { t } = useTranslation("quotas");
  const coded = useCodedText();
  if (total === 0) return null;
  return (
    <Part title={t("preview.stops", { count: total })}>
      {stops.map(({ work, cause }, index) => (
        <li key={work.id ?? `other ${index}`}>
          <GlimpseName work={work} />{" "}
          <span className="quiet">{coded(`quotas:preview.cause.${cause}`) ?? cause}</span>
        </li>
      ))}
      {total > stops.length && <li>{t("preview.more", { count: total - stops.length })}</li>}
    </Part>
  );
}

function Exposures({ preview: { exposures } }: { preview: QuotaPreview }) {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  if (exposures.length === 0) return null;
  return (
    <Part title={t("preview.exposed")}>
      {exposures.map(({ group, pool, before, after }) => (
        <li key={`${group.id} ${pool.id}`}>
          {t(after > before ? "preview.exposes" : "preview.protects", {
            group: titleOf(group, language),
            pool: titleOf(pool, language),
            before: formatAmount("gpu", before, language),
            after: formatAmount("gpu", after, language),
          })}
        </li>
      ))}
    </Part>
  );
}

function Exceeded({ preview: { exceeded } }: { preview: QuotaPreview }) {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const scope = useScopeWords();
  if (exceeded.length === 0) return null;
  return (
    <Part title={t("preview.exceeded")}>
      {exceeded.map(({ group, pool, resource, model, user, used, ceiling }) => (
        <li key={`${group.id} ${pool?.id} ${resource} ${model} ${user?.id}`}>
          {t(user ? "preview.memberExceeds" : "preview.exceeds", {
            group: titleOf(group, language),
            ...(user && { user: user.display_name || user.username }),
            scope: scope({ pool: pool?.id ?? null, resource, model }),
            used: formatAmount(resource, used, language),
            ceiling: formatAmount(resource, ceiling, language),
          })}
        </li>
      ))}
    </Part>
  );
}

interface MemberChangeProps {
  /** Its title. */
  group: string;
  user: UserRef;
  pool: string | null;
  resource: string;
  model: string;
  before: number | null;
  after: number | null;
}

/** What a change did to one member: of which group, of which quota, from what to what. */
export function MemberChange({ group, user, before, after, ...scope }: MemberChangeProps) {
  const { t } = useTranslation("quotas");
  const words = useScopeWords();
  const say = useCeilingWords();
  return (
    <>
      <strong>{user.display_name || user.username}</strong>
      {` · ${group} · ${words(scope)}`}
      <span className="second num">
        {t("history.fromTo", {
          limit: t("limit.ceiling"),
          before: say(scope.resource, before),
          after: say(scope.resource, after),
        })}
      </span>
    </>
  );
}
