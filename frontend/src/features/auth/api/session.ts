/** Signing in and out, by the headless account API. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ProblemError, readProblem } from "@/shared/api/problem";
import { meQuery } from "@/shared/session/me";
import { ask, faultsOf } from "./account";

export interface Credentials {
  username: string;
  password: string;
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (credentials: Credentials) => {
      // Sets the CSRF cookie; answers 401 while nobody is signed in.
      await ask("GET", "/auth/session");
      await send("POST", "/auth/login", credentials);
      return client.fetchQuery({ ...meQuery, staleTime: 0 });
    },
  });
}

export function useSignOut() {
  return useMutation({
    mutationFn: () => send("DELETE", "/auth/session"),
    // A full load drops every cached answer and the live connection of the old session.
    onSettled: () => window.location.assign("/sign-in"),
  });
}

async function send(method: string, path: string, body?: object): Promise<void> {
  const response = await ask(method, path, body);
  // Signing out answers 401: from now on nobody is signed in.
  if (response.ok || (method === "DELETE" && response.status === 401)) return;
  const [first] = await faultsOf(response);
  const said = { code: first?.code, detail: first?.message };
  throw new ProblemError(readProblem(response.status, said, ""));
}
