/** Work as YAML: a document that is submitted, and the ways to use work again on its page. */
import { useNavigate } from "@tanstack/react-router";
import { Button, Flex, Input, Modal } from "antd";
import { useState } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canSubmitIn } from "@/shared/session/roles";
import { LinkButton, Panel } from "@/shared/ui/page";
import { ProblemAlert, useProblemMessage } from "@/shared/ui/query-states";
import type { Submitted } from "../api/submission";
import { manifestAddress, useManifest, useSubmitManifest } from "../api/submission";
import { submittedKind, type WorkloadKind } from "../model/submission";
import { settingsOf } from "../model/templates";
import { TemplateDialog } from "./template-dialog";

const ROWS = { minRows: 12, maxRows: 24 };
const EXAMPLE: Record<WorkloadKind, string> = {
  training: "apiVersion: berth/v1\nkind: Job\nname: train\n",
  environment: "apiVersion: berth/v1\nkind: Environment\nname: notebook\n",
};

/** Opens the dialog that submits a document. */
export function SubmitManifestButton({ kind }: { kind: WorkloadKind }) {
  const { t } = useTranslation("submission");
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("yaml.open")}</Button>
      {isOpen && <ManifestDialog kind={kind} onClose={() => setOpen(false)} />}
    </>
  );
}

function ManifestDialog({ kind, onClose }: { kind: WorkloadKind; onClose: () => void }) {
  const { t } = useTranslation(["submission", "ui"]);
  const navigate = useNavigate();
  const submit = useSubmitManifest();
  const [text, setText] = useState("");
  const change = (next: string) => {
    if (submit.isError) submit.reset();
    setText(next);
  };
  const onSuccess = (submitted: Submitted) => void navigate(pageOf(submitted));
  return (
    <Modal
      open
      width={720}
      title={t("yaml.title")}
      okText={t("yaml.action")}
      okButtonProps={{ disabled: text.trim() === "" }}
      cancelText={t("ui:cancel")}
      confirmLoading={submit.isPending}
      onOk={() => submit.mutate(text, { onSuccess })}
      onCancel={onClose}
    >
      <Flex vertical gap={12}>
        <p className="second" style={{ margin: 0 }}>
          {t("yaml.about")}
        </p>
        <input
          type="file"
          accept=".yaml,.yml,application/yaml"
          aria-label={t("yaml.file")}
          onChange={({ target }) => void target.files?.[0]?.text().then(change)}
        />
        <Input.TextArea
          aria-label={t("yaml.document")}
          placeholder={EXAMPLE[kind]}
          value={text}
          onChange={({ target }) => change(target.value)}
          autoSize={ROWS}
          spellCheck={false}
          style={{ fontFamily: "var(--font-mono)" }}
        />
        {submit.error && <ProblemAlert error={submit.error} />}
      </Flex>
    </Modal>
  );
}

/** The page of what was submitted. */
function pageOf(submitted: Submitted) {
  const params = { id: submitted.id };
  if ("indexes" in submitted) return { to: "/jobs/arrays/$id", params } as const;
  return submitted.kind === "training"
    ? ({ to: "/jobs/$id", params } as const)
    : ({ to: "/notebooks/$id", params } as const);
}

/** The ways to use the settings of work again: a copy, a template, a file. */
export function ReusePanel({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const me = useMe();
  const { id, group } = workload;
  const kind = submittedKind(workload);
  return (
    <Panel title={t("reuse.title")}>
      <Flex gap={8} wrap>
        {canSubmitIn(me, group.id) && (
          <LinkButton
            isPrimary={false}
            to={kind === "training" ? "/jobs/new" : "/notebooks/new"}
            search={{ from: id }}
          >
            {t("reuse.copy")}
          </LinkButton>
        )}
        <TemplateOfWork workload={workload} />
        <Button href={manifestAddress(kind, id)} download={`${workload.name}.yaml`}>
          {t("reuse.yaml")}
        </Button>
      </Flex>
    </Panel>
  );
}

/** Stores the settings of work as a template. */
function TemplateOfWork({ workload }: { workload: WorkloadDetail }) {
  const { id } = workload;
  const kind = submittedKind(workload);
  const { t } = useTranslation("submission");
  const showProblem = useProblemMessage();
  const [settings, setSettings] = useState<Record<string, unknown> | null>(null);
  const manifest = useManifest(kind, id);
  const open = async () => {
    const { data, error } = manifest.data ? manifest : await manifest.refetch();
    if (data) setSettings(settingsOf(data));
    else if (error) showProblem(error);
  };
  return (
    <>
      <Button onClick={() => void open()}>{t("template.save")}</Button>
      {settings && (
        <TemplateDialog
          kind={kind}
          terms={{ settings, locked: [], ranges: {} }}
          onClose={() => setSettings(null)}
        />
      )}
    </>
  );
}
