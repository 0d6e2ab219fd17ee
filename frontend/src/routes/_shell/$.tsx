import { createFileRoute } from "@tanstack/react-router";
import { NotFoundPage } from "@/app/faults";

/** Every address that is no page, inside the frame so that the way back is there. */
export const Route = createFileRoute("/_shell/$")({ component: NotFoundPage });
