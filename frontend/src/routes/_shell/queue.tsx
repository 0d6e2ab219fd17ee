import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { QueueView } from "@/features/queue/components/queue-view";
import { StandingPanel } from "@/features/quotas/components/standing-panel";
import { PoolPicker } from "@/shared/cluster/components/pool-picker";
import { readPoolSearch } from "@/shared/session/search-params";
import { PageHeader } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/queue")({
  validateSearch: readPoolSearch,
  component: QueuePage,
});

function QueuePage() {
  const { t } = useTranslation("queue");
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} />
      <div className="stack">
        <PoolPicker>{(chosen) => <QueueView key={chosen.id} pool={chosen} />}</PoolPicker>
        <StandingPanel />
      </div>
    </>
  );
}
