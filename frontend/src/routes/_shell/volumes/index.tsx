import { createFileRoute } from "@tanstack/react-router";
import { VolumesPage } from "@/features/volumes/components/volumes-page";

export const Route = createFileRoute("/_shell/volumes/")({ component: VolumesPage });
