import { createFileRoute } from "@tanstack/react-router";
import { DatasetsPage } from "@/features/datasets/components/datasets-page";

export const Route = createFileRoute("/_shell/datasets")({ component: DatasetsPage });
