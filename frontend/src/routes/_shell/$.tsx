import { createFileRoute } from "@tanstack/react-router";
import { NotFoundPage } from "@/app/faults";

/** Every unknown address, inside the frame so that the navigation stays. */
export const Route = createFileRoute("/_shell/$")({ component: NotFoundPage });
