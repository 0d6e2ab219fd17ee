import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import type { Me } from "@/shared/api/types";
import { useMaybeMe } from "@/shared/session/me";

const SIGN_IN = "/sign-in";

/**
 * Who is signed in; leads to the sign-in page when the session ends while a page is open.
 *
 * The address is read once, when that happens: while the sign-in page is on its way, the present
 * address is that page's own, and to come back to it would never end.
 */
export function useSignedIn(): Me | null {
  const me = useMaybeMe();
  const router = useRouter();
  const client = useQueryClient();
  useEffect(() => {
    if (me !== null) return;
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== "session" });
    const { pathname, href } = router.state.location;
    if (pathname !== SIGN_IN) void router.navigate({ to: SIGN_IN, search: { next: href } });
  }, [me, router, client]);
  return me ?? null;
}
