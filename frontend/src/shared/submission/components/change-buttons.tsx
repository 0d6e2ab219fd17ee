/** What changes work on its page. */
import { Button } from "antd";
import { useState } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { useApprovals } from "@/shared/approvals/api/approvals";
import { formatDuration } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canChange } from "@/shared/session/roles";
import { later } from "@/shared/ui/opening";
import { isStoppable } from "@/shared/workload/model/lifecycle";

const LaterChange = later(async () => (await import("./change-dialogs")).ChangeDialog);
const LaterExtend = later(async () => (await import("./change-dialogs")).ExtendDialog);

/** Changes what waiting work, or a stopped notebook, asks for. */
export function ChangeButton({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  const isOpenToChange = workload.state === "queued" || workload.state === "suspended";
  if (!isOpenToChange || !canChange(me, workload)) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("change.open")}</Button>
      {isOpen && <LaterChange workload={workload} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Gives work a longer time limit, or asks for one where the policy does not allow it. */
export function ExtendButton({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  const isLimited = isStoppable(workload.state) && workload.time_limit_s !== null;
  const isOffered = isLimited && canChange(me, workload);
  return (
    <>
      {isOffered && <Button onClick={() => setOpen(true)}>{t("extend.open")}</Button>}
      {isOpen && <LaterExtend workload={workload} onClose={() => setOpen(false)} />}
    </>
  );
}

/** That a longer time was requested and nobody has decided yet. */
export function PendingRequest({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const waiting = useApprovals({ workload: workload.id, state: "pending" }).data?.[0];
  const asked = waiting?.asked.time_limit_s;
  if (!waiting || typeof asked !== "number") return null;
  return (
    <p data-testid="pending-request" style={{ margin: 0 }}>
      {t("extend.waiting", { asked: formatDuration(asked, language) })}{" "}
      {t(`extend.decider.${waiting.decider}`)}
    </p>
  );
}
