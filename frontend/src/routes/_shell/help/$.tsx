import { createFileRoute } from "@tanstack/react-router";
import { HelpPage } from "@/features/help/components/help-page";

export const Route = createFileRoute("/_shell/help/$")({ component: Guide });

function Guide() {
  const { _splat = "" } = Route.useParams();
  return <HelpPage guide={_splat} />;
}
