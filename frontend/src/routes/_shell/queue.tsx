import { createFileRoute } from "@tanstack/react-router";
import { Suspense } from "react";
import { readQueueFilter } from "@/features/queue/api/queue";
import { QueueView } from "@/features/queue/components/queue-view";
import { PoolPicker } from "@/shared/cluster/components/pool-picker";
import { useTranslation } from "@/shared/i18n/language";
import { lazyWithRetry } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";

// In the second tab.
const LaterStanding = lazyWithRetry(
  async () => (await import("@/features/quotas/components/standing-panel")).StandingPanel,
);

export const Route = createFileRoute("/_shell/queue")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) =>
    search as { pool?: string; reason?: string; team?: string; tab?: string },
  component: QueuePage,
});

function QueuePage() {
  const { t } = useTranslation("queue");
  const filter = readQueueFilter(Route.useSearch());
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} />
      <div className="stack">
        <PoolPicker>
          {(chosen) => (
            <QueueView
              key={chosen.id}
              pool={chosen}
              filter={filter}
              standing={
                <Suspense>
                  <LaterStanding />
                </Suspense>
              }
            />
          )}
        </PoolPicker>
      </div>
    </>
  );
}
