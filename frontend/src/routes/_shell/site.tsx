import { createFileRoute } from "@tanstack/react-router";
import { SitePage } from "@/features/site/components/site-page";

export const Route = createFileRoute("/_shell/site")({ component: SitePage });
