import { createFileRoute } from "@tanstack/react-router";
import { HelpPage } from "@/features/help/components/help-page";
import { ALL_GUIDES } from "@/features/help/model/guides";

export const Route = createFileRoute("/_shell/help/")({
  component: () => <HelpPage guide={ALL_GUIDES} />,
});
