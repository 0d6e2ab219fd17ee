import { useNavigate } from "@tanstack/react-router";
import { Flex, Input, Modal } from "antd";
import { useState } from "react";
import { KINDS } from "@/shared/api/kinds.gen";
import { useTranslation } from "@/shared/i18n/language";
import { ProblemAlert } from "@/shared/ui/query-states";
import { FORMS, routeOf, type SubmittedKind } from "@/shared/workload/model/kinds";
import { type Submitted, useSubmitManifest } from "../api/submission";

const ROWS = { minRows: 12, maxRows: 24 };
const exampleOf = (kind: SubmittedKind) =>
  `apiVersion: berth/v1\nkind: ${KINDS[kind].manifests[0]}\nname: ${FORMS[kind].example}\n`;

/** Work as YAML: a document that is submitted. */
export function ManifestDialog({ kind, onClose }: { kind: SubmittedKind; onClose: () => void }) {
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
          placeholder={exampleOf(kind)}
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
  return { to: routeOf(submitted.kind), params } as const;
}
