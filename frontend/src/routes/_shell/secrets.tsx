import { createFileRoute } from "@tanstack/react-router";
import { App } from "antd";
import { SecretsPage } from "@/features/secrets/components/secrets-page";

export const Route = createFileRoute("/_shell/secrets")({ component: SecretsRoute });

function SecretsRoute() {
  return (
    <App component={false}>
      <SecretsPage />
    </App>
  );
}
