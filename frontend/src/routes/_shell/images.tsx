import { createFileRoute } from "@tanstack/react-router";
import { ImagesPage } from "@/features/images/components/images-page";

export const Route = createFileRoute("/_shell/images")({ component: ImagesPage });
