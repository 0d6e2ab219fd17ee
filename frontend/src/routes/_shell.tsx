import { createFileRoute, redirect, retainSearchParams } from "@tanstack/react-router";
import { loadTexts, partsOf } from "@/app/i18n";
import { Shell } from "@/app/shell";
import { meQuery } from "@/shared/session/me";

/** Everything behind the sign-in. The address keeps the chosen group. */
export const Route = createFileRoute("/_shell")({
  validateSearch: (search: Record<string, unknown>): { group?: string | undefined } =>
    typeof search.group === "string" && search.group ? { group: search.group } : {},
  search: { middlewares: [retainSearchParams(["group"])] },
  beforeLoad: async ({ context, location }) => {
    const [me, fault] = await Promise.all([
      context.queries.ensureQueryData(meQuery),
      // Thrown here, it would take the place of the frame and not of the page in it.
      loadTexts(partsOf(location.pathname)).catch((error: unknown) => error),
    ]);
    if (!me) throw redirect({ to: "/sign-in", search: { next: location.href } });
    return { fault };
  },
  component: ShellPage,
});

function ShellPage() {
  return <Shell fault={Route.useRouteContext().fault} />;
}
