import { createFileRoute } from "@tanstack/react-router";
import { SecretsPage } from "@/features/secrets/components/secrets-page";

export const Route = createFileRoute("/_shell/secrets")({ component: SecretsPage });
