/** What a form begins with: a template, or one of the last configurations of one's own. */

import { Alert, Button, Select } from "antd";
import { type ReactNode, useState } from "react";
import { problemOf } from "@/shared/api/problem";
import type { Template, Workload } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useCanSubmit } from "@/shared/session/me";
import { later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { QueryBoundary, type QueryLike } from "@/shared/ui/query-states";
import { useWorkloads } from "@/shared/workload/api/workloads";
import { useRequestWords } from "@/shared/workload/components/sentences";
import type { SubmittedKind } from "@/shared/workload/model/kinds";
import { useManifest } from "../api/submission";
import { useTemplate, useTemplates } from "../api/templates";
import type { SubmissionBody } from "../model/submission";
import { bodyOf, lastConfigurations } from "../model/templates";
import { TemplateContext } from "./fields";
import styles from "./submission.module.css";
import { useTermWords } from "./term-words";

const LaterManifest = later(async () => (await import("./manifest-dialog")).ManifestDialog);

interface StartOrigin {
  template?: string;
  from?: string;
}

interface SubmissionStartProps {
  /** Of the page. */
  title: string;
  kind: SubmittedKind;
  origin: StartOrigin;
  /** The work that the form is filled from, if it is. */
  work?: { kind: SubmittedKind; id: string } | undefined;
  onChoose: (origin: StartOrigin) => void;
  /** The form, given the body that it begins with. */
  children: (body: SubmissionBody | undefined) => ReactNode;
}

/** What a form begins with, above the form that begins with it. */
export function SubmissionStart(props: SubmissionStartProps) {
  const { title, kind, origin, work, onChoose, children } = props;
  const template = useTemplate(kind, origin.template);
  const manifest = useManifest(work?.kind ?? kind, work?.id);
  const chosen = origin.template ? (template.data ?? null) : null;
  return (
    <TemplateContext value={chosen}>
      <PageHeader
        title={title}
        about={chosen && <Terms template={chosen} />}
        actions={<StartChoice kind={kind} chosen={origin} onChoose={onChoose} />}
      />
      {origin.template && (
        <Beginning key={origin.template} what="template" query={template}>
          {(template) => children(template && bodyOf(template))}
        </Beginning>
      )}
      {!origin.template && work && (
        <Beginning key={work.id} what={work.kind} query={manifest}>
          {children}
        </Beginning>
      )}
      {!origin.template && !work && children(undefined)}
    </TemplateContext>
  );
}

interface BeginningProps<Data> {
  what: "template" | SubmittedKind;
  query: QueryLike<Data>;
  children: (data: Data | undefined) => ReactNode;
}

/** What the form begins with; nothing, and a warning that says so, where that is not there. */
function Beginning<Data>({ what, query, children }: BeginningProps<Data>) {
  const { t } = useTranslation("submission");
  const isGone = query.data === undefined && problemOf(query.error).status === 404;
  if (!isGone)
    return (
      <QueryBoundary query={query} rows={8}>
        {children}
      </QueryBoundary>
    );
  return (
    <>
      <Alert
        type="warning"
        showIcon
        role="alert"
        closable={{ "aria-label": t("gone.dismiss") }}
        className={styles.notice ?? ""}
        title={t(`gone.${what}`)}
      />
      {children(undefined)}
    </>
  );
}

interface StartChoiceProps {
  kind: SubmittedKind;
  chosen: StartOrigin;
  onChoose: (origin: StartOrigin) => void;
}

function StartChoice({ kind, chosen, onChoose }: StartChoiceProps) {
  const { t } = useTranslation("submission");
  const [wasOpened, setOpened] = useState(Boolean(chosen.template || chosen.from));
  const options = useStartOptions(kind, wasOpened);
  const value = chosen.template
    ? `template:${chosen.template}`
    : chosen.from && `from:${chosen.from}`;
  const isKnown = options.some((group) => group.options.some((item) => item.value === value));
  return (
    <div className={styles.start}>
      <Select
        allowClear
        showSearch={{ optionFilterProp: "label" }}
        aria-label={t("template.start")}
        placeholder={t("template.start")}
        value={isKnown ? value : null}
        options={options}
        onOpenChange={() => setOpened(true)}
        notFoundContent={t("template.none")}
        onChange={(next: string | undefined) => {
          const [what, id = ""] = (next ?? "").split(":");
          onChoose(what === "template" ? { template: id } : what === "from" ? { from: id } : {});
        }}
      />
      <SubmitManifestButton kind={kind} />
    </div>
  );
}

/** The templates by owner, and the last configurations. */
function useStartOptions(kind: SubmittedKind, isWanted: boolean) {
  const language = useLanguage();
  const { t } = useTranslation("submission");
  const templates = useTemplates(kind, isWanted).data ?? [];
  const describe = useConfigurationWords();
  const recent = lastConfigurations(
    useWorkloads({ kind, owner: "me", collapsed: true }, isWanted).data ?? [],
  );
  const owned = (scope: Template["scope"]) =>
    templates
      .filter((template) => template.scope === scope)
      .map(({ id, name, group }) => ({
        value: `template:${id}`,
        label: group ? t("template.ofGroup", { name, group: titleOf(group, language) }) : name,
      }));
  return [
    { label: t("template.ofMine"), options: owned("user") },
    { label: t("template.ofGroups"), options: owned("group") },
    { label: t("template.ofPlatform"), options: owned("platform") },
    {
      label: t("template.recent"),
      options: recent.map((work) => ({ value: `from:${work.id}`, label: describe(work) })),
    },
  ].filter(({ options }) => options.length > 0);
}

function useConfigurationWords() {
  const language = useLanguage();
  const words = useRequestWords();
  return (work: Workload) =>
    [work.name, titleOf(work.image, language), words(work).devices].join(" · ");
}

/** What the chosen template is for, and what it holds its reader to. */
function Terms({ template }: { template: Template }) {
  const words = useTermWords();
  const { description, name } = template;
  return (
    <span data-testid="template-terms">
      <strong>{name}</strong> {[description, ...words(template)].filter(Boolean).join(" · ")}
    </span>
  );
}

/** Opens the dialog that submits a document. */
function SubmitManifestButton({ kind }: { kind: SubmittedKind }) {
  const { t } = useTranslation("submission");
  const [isOpen, setOpen] = useState(false);
  if (!useCanSubmit()) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("yaml.open")}</Button>
      {isOpen && <LaterManifest kind={kind} onClose={() => setOpen(false)} />}
    </>
  );
}
