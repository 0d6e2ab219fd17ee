import { Alert, Button, Flex, Select, Switch } from "antd";
import { useCallback, useRef, useState } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { useCodedText, useTranslation } from "@/shared/i18n/language";
import { PageHeader } from "@/shared/ui/page";
import { StateLine } from "@/shared/workload/components/workload-page";
import type { TerminalState } from "../model/state";
import { type TerminalHandle, TerminalView } from "./terminal-view";

/** A shell beside the work: where it is, how the connection does, and the way out. */
export function TerminalPage({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("terminal");
  const view = useRef<TerminalHandle>(null);
  const [rank, setRank] = useState(0);
  const [isSpoken, setSpoken] = useState(false);
  const [state, setState] = useState<TerminalState>({ name: "connecting" });
  const enter = useCallback((next: TerminalState) => setState(next), []);
  const ranks = Array.from({ length: workload.replicas }, (_, value) => ({
    value,
    label: t("rank", { rank: value }),
  }));
  return (
    <>
      <PageHeader
        title={t("of", { name: workload.name })}
        about={<StateLine workload={workload} />}
        actions={
          state.name === "open" && <Button onClick={() => view.current?.end()}>{t("end")}</Button>
        }
      />
      <div className="stack">
        <Flex gap="middle" align="center" wrap>
          {ranks.length > 1 && (
            <Select
              aria-label={t("ranks")}
              value={rank}
              onChange={setRank}
              options={ranks}
              style={{ minWidth: 120 }}
            />
          )}
          <Flex gap="small" align="center">
            <Switch size="small" checked={isSpoken} onChange={setSpoken} aria-label={t("spoken")} />
            {t("spoken")}
          </Flex>
        </Flex>
        <Notice state={state} onAgain={() => view.current?.connect()} />
        <TerminalView
          ref={view}
          kind={workload.kind}
          id={workload.id}
          rank={rank}
          isSpoken={isSpoken}
          onState={enter}
        />
      </div>
    </>
  );
}

/** Anything but an open terminal, in words; nothing while all is well. */
function Notice({ state, onAgain }: { state: TerminalState; onAgain: () => void }) {
  const { t } = useTranslation("terminal");
  const coded = useCodedText();
  const again = (
    <Button size="small" onClick={onAgain}>
      {t("again")}
    </Button>
  );
  switch (state.name) {
    case "open":
      return null;
    case "connecting":
      return <Alert type="info" title={t("connecting")} role="status" />;
    case "lost":
      return <Alert type="warning" showIcon title={t("lost")} role="status" />;
    case "exited":
      return (
        <Alert
          type="info"
          showIcon
          action={again}
          title={state.code === null ? t("ended") : t("exited", { code: state.code })}
        />
      );
    case "closed":
      return (
        <Alert
          type="warning"
          showIcon
          action={again}
          title={coded(`terminal:closed.${state.code}`, state.params) ?? t("unexplained")}
        />
      );
  }
}
