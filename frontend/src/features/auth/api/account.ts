/** Sign-in, sign-out and password by the headless account API, which has its own error form. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { csrfToken } from "@/shared/api/client";
import { ProblemError, readProblem } from "@/shared/api/problem";
import { type CodedText, useCodedText } from "@/shared/i18n/language";
import { meQuery } from "@/shared/session/me";

const BASE = "/_allauth/browser/v1";

/** `{"errors": [...]}` holds these; `param` names the field, where the fault is one field's. */
interface AccountFault {
  code?: string;
  message?: string;
  param?: string;
}

function ask(method: string, path: string, body?: object): Promise<Response> {
  return fetch(BASE + path, {
    method,
    headers: {
      "Content-Type": "application/json",
      "Accept-Language": document.documentElement.lang,
      "X-CSRFToken": csrfToken(),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** The faults of a refusal; empty where the answer names none. */
async function faultsOf(refused: Response): Promise<AccountFault[]> {
  const body: { errors?: AccountFault[] } | null = await refused.json().catch(() => null);
  return body?.errors ?? [];
}

export interface Credentials {
  username: string;
  password: string;
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (credentials: Credentials) => {
      // Sets the CSRF cookie; answers 401 while there is no session.
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
  // Signing out answers 401: the session is over.
  if (response.ok || (method === "DELETE" && response.status === 401)) return;
  const [first] = await faultsOf(response);
  const said = { code: first?.code, detail: first?.message };
  throw new ProblemError(readProblem(response.status, said, ""));
}

export interface PasswordChange {
  current_password: string;
  new_password: string;
}

/** Change the password of the signed-in person; this session stays, all others end. */
export function useChangePassword(onChanged: () => void) {
  const coded = useCodedText();
  return useMutation({
    mutationFn: (body: PasswordChange) => change(body, coded),
    onSuccess: onChanged,
  });
}

/** Raises every fault at its field; 401 means that the session has ended, not a changed password. */
async function change(body: PasswordChange, coded: CodedText): Promise<void> {
  const response = await ask("POST", "/account/password/change", body);
  if (response.ok) return;
  const faults = response.status === 401 ? [] : await faultsOf(response);
  const errors = faults.map(({ param, code = "", message }) => ({
    pointer: param ? `/${param}` : "",
    code,
    detail: coded(`api:problem.${code}`) ?? message,
  }));
  const said = { code: errors[0]?.code, detail: errors[0]?.detail, errors };
  throw new ProblemError(readProblem(response.status, said, ""));
}
