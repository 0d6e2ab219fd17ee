import { createFileRoute } from "@tanstack/react-router";
import { ApprovalsPage } from "@/features/approvals/components/approvals-page";
import { OwnLimitsPanel } from "@/features/quotas/components/member-limits-panel";

export const Route = createFileRoute("/_shell/requests")({ component: RequestsRoute });

function RequestsRoute() {
  return (
    <div className="stack">
      <div>
        <ApprovalsPage />
      </div>
      <OwnLimitsPanel />
    </div>
  );
}
