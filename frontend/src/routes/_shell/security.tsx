import { createFileRoute } from "@tanstack/react-router";
import { SecurityPage } from "@/features/account/components/security-page";

export const Route = createFileRoute("/_shell/security")({ component: SecurityPage });
