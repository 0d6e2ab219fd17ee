import { createFileRoute } from "@tanstack/react-router";
import { DirectoriesPage } from "@/features/directories/components/directories-page";

export const Route = createFileRoute("/_shell/directories")({ component: DirectoriesPage });
