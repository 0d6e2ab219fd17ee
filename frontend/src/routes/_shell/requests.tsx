import { createFileRoute } from "@tanstack/react-router";
import { ApprovalsPage } from "@/features/approvals/components/approvals-page";

export const Route = createFileRoute("/_shell/requests")({ component: ApprovalsPage });
