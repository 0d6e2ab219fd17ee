import { createFileRoute, redirect, useRouter } from "@tanstack/react-router";
import { Preferences } from "@/app/preferences";
import styles from "@/features/auth/components/sign-in.module.css";
import { SignInForm } from "@/features/auth/components/sign-in-form";
import { useTranslation } from "@/shared/i18n/language";
import { configQuery, meQuery } from "@/shared/session/me";
import { PageTitle } from "@/shared/ui/page";

export const Route = createFileRoute("/sign-in")({
  // Named even when refused: what is left out here keeps the value of the address.
  validateSearch: ({ next, refused, second }: Record<string, unknown>): SignInSearch => ({
    next: isOwnPath(next) ? next : undefined,
    ...(typeof refused === "string" && /^\w{1,40}$/.test(refused) && { refused }),
    ...(String(second) === "true" && { second: true }),
  }),
  beforeLoad: async ({ context, search }) => {
    // The form is shown whole: a link that comes later would move the button under a click.
    const config = context.queries.prefetchQuery(configQuery);
    if (await context.queries.ensureQueryData(meQuery))
      throw redirect({ href: search.next ?? "/" });
    await config;
  },
  component: SignInPage,
});

interface SignInSearch {
  next?: string | undefined;
  /** Why a provider did not let somebody in. */
  refused?: string;
  /** Whether a provider did, and the second factor of the account is needed still. */
  second?: boolean;
}

function SignInPage() {
  const { t } = useTranslation("auth");
  const { next = "/", refused, second = false } = Route.useSearch();
  const router = useRouter();
  return (
    <main className={styles.page}>
      <PageTitle text={t("signIn")} />
      <div className={styles.preferences}>
        <Preferences />
      </div>
      <SignInForm
        onSignedIn={() => router.history.push(next)}
        next={next}
        refused={refused}
        isSecondStep={second}
      />
    </main>
  );
}

/** Only paths of this site: an address from elsewhere must not receive a signed-in reader. */
function isOwnPath(next: unknown): next is string {
  return typeof next === "string" && /^\/(?![/\\])/.test(next);
}
