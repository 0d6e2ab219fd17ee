import { createFileRoute } from "@tanstack/react-router";
import { StudiesPage } from "@/features/studies/components/studies-page";

export const Route = createFileRoute("/_shell/what-if/")({ component: StudiesPage });
