/** Signing in and out, by the headless account API. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { csrfToken } from "@/shared/api/client";
import { ProblemError, readProblem } from "@/shared/api/problem";
import { meQuery } from "@/shared/session/me";

const BASE = "/_allauth/browser/v1/auth";

export interface Credentials {
  username: string;
  password: string;
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (credentials: Credentials) => {
      // Sets the CSRF cookie; answers 401 while nobody is signed in.
      await fetch(`${BASE}/session`);
      await send("POST", "/login", credentials);
      return client.fetchQuery({ ...meQuery, staleTime: 0 });
    },
  });
}

export function useSignOut() {
  return useMutation({
    mutationFn: () => send("DELETE", "/session"),
    // A full load drops every cached answer and the live connection of the old session.
    onSettled: () => window.location.assign("/sign-in"),
  });
}

async function send(method: string, path: string, body?: object): Promise<void> {
  const response = await fetch(BASE + path, {
    method,
    headers: {
      "Content-Type": "application/json",
      "Accept-Language": document.documentElement.lang,
      "X-CSRFToken": csrfToken(),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  // Signing out answers 401: from now on nobody is signed in.
  if (response.ok || (method === "DELETE" && response.status === 401)) return;
  throw new ProblemError(
    readSignInProblem(response.status, await response.json().catch(() => null)),
  );
}

/** The account API has its own error form: `{"errors": [{"code", "message"}]}`. */
function readSignInProblem(status: number, body: unknown) {
  const errors = (body as { errors?: { code?: string; message?: string }[] } | null)?.errors;
  const first = errors?.[0];
  return readProblem(status, { code: first?.code, detail: first?.message }, "");
}
