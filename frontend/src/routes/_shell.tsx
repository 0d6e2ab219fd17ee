import { createFileRoute, redirect, retainSearchParams } from "@tanstack/react-router";
import { Shell } from "@/app/shell";
import { meQuery } from "@/shared/session/me";

/** Everything behind the sign-in. The address keeps the chosen group. */
export const Route = createFileRoute("/_shell")({
  validateSearch: (search: Record<string, unknown>): { group?: string | undefined } =>
    typeof search.group === "string" && search.group ? { group: search.group } : {},
  search: { middlewares: [retainSearchParams(["group"])] },
  beforeLoad: async ({ context, location }) => {
    const me = await context.queries.ensureQueryData(meQuery);
    if (!me) throw redirect({ to: "/sign-in", search: { next: location.href } });
  },
  component: Shell,
});
