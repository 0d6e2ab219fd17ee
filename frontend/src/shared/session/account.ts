/** Sign-in, sign-out and password by the headless account API, which has its own error form. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { csrfToken } from "@/shared/api/client";
import { ProblemError, readProblem } from "@/shared/api/problem";
import { type CodedText, useCodedText } from "@/shared/i18n/language";
import { meQuery } from "@/shared/session/me";
import { askPasskey, type CredentialOptions } from "./passkeys";

const BASE = "/_allauth/browser/v1";

/** `{"errors": [...]}` holds these; `param` names the field, where the fault is one field's. */
interface AccountFault {
  code?: string;
  message?: string;
  param?: string;
}

/** What answers of the account API have in common. */
export interface AccountAnswer {
  errors?: AccountFault[];
  /** Of a problem: the gate before the account API refuses as the rest of the server does. */
  code?: string;
  data?: unknown;
  meta?: { is_authenticated?: boolean; secret?: string; totp_url?: string };
}

export async function askAccount(method: string, path: string, body?: object): Promise<Response> {
  const token = csrfToken();
  const ask = () =>
    fetch(BASE + path, {
      method,
      headers: {
        "Content-Type": "application/json",
        "Accept-Language": document.documentElement.lang,
        "X-CSRFToken": csrfToken(),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const response = await ask();
  // The first answers to a new browser each set a cookie: it may have changed on the way.
  return response.status === 403 && csrfToken() !== token ? ask() : response;
}

/** The body of an answer; empty where it has none. */
export async function answerOf(response: Response): Promise<AccountAnswer> {
  return (await response.json().catch(() => null)) ?? {};
}

/** The refusal as a problem: its first fault names it, unless it is one already. */
export function refusal(status: number, answer: AccountAnswer): ProblemError {
  if (answer.code) return new ProblemError(readProblem(status, answer, ""));
  const [first] = answer.errors ?? [];
  const said = { code: first?.code, detail: first?.message };
  return new ProblemError(readProblem(status, said, ""));
}

async function send(method: string, path: string, body?: object): Promise<AccountAnswer> {
  const response = await askAccount(method, path, body);
  const answer = await answerOf(response);
  // Signing out answers 401: the session is over.
  if (response.ok || (method === "DELETE" && response.status === 401)) return answer;
  throw refusal(response.status, answer);
}

export interface Credentials {
  username: string;
  password: string;
}

/** A second step of sign-in that this person has enrolled. */
export type SecondFactor = "totp" | "recovery_codes" | "webauthn";

interface SignInFlow {
  id: string;
  is_pending?: boolean;
  types?: SecondFactor[];
}

/** Answers with the second factors of which one is needed still; with none, the session is open. */
export function useSignIn() {
  const signedIn = useSignedInAgain();
  return useMutation({
    mutationFn: async (credentials: Credentials): Promise<SecondFactor[]> => {
      // Sets the CSRF cookie; answers 401 while there is no session.
      await askAccount("GET", "/auth/session");
      const response = await askAccount("POST", "/auth/login", credentials);
      const answer = await answerOf(response);
      const pending = response.status === 401 ? pendingFactors(answer) : [];
      if (pending.length > 0) return pending;
      if (!response.ok) throw refusal(response.status, answer);
      await signedIn();
      return [];
    },
  });
}

/** Which second factors are asked of somebody for whom a provider has vouched; none: nothing is pending. */
export function usePendingSecondStep() {
  return useMutation({
    mutationFn: async (): Promise<SecondFactor[]> =>
      pendingFactors(await answerOf(await askAccount("GET", "/auth/session"))),
  });
}

function pendingFactors({ data }: AccountAnswer): SecondFactor[] {
  const { flows = [] } = (data ?? {}) as { flows?: SignInFlow[] };
  return flows.find(({ id, is_pending }) => id === "mfa_authenticate" && is_pending)?.types ?? [];
}

/** The second step by a code: of the authenticator app, or a recovery code. */
export function useSecondStep() {
  const signedIn = useSignedInAgain();
  return useMutation({
    mutationFn: async (code: string) => {
      await send("POST", "/auth/2fa/authenticate", { code });
      await signedIn();
    },
  });
}

/** Sign in by a passkey: as the only step, or as the second one after the password. */
export function usePasskeySignIn(step: "login" | "authenticate") {
  const signedIn = useSignedInAgain();
  return useMutation({
    mutationFn: async () => {
      const path = `/auth/webauthn/${step}`;
      const { data } = await send("GET", path);
      const credential = await askPasskey((data as CredentialOptions).request_options);
      await send("POST", path, { credential });
      await signedIn();
    },
  });
}

function useSignedInAgain() {
  const client = useQueryClient();
  return () => client.fetchQuery({ ...meQuery, staleTime: 0 });
}

export function useSignOut() {
  return useMutation({
    mutationFn: () => send("DELETE", "/auth/session"),
    // A full load drops every cached answer and the live connection of the old session.
    onSettled: () => {
      // What was typed and not submitted, and names of terminals, are for no other reader.
      sessionStorage.clear();
      window.location.assign("/sign-in");
    },
  });
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
  const response = await askAccount("POST", "/account/password/change", body);
  if (response.ok) return;
  const answer = response.status === 401 ? {} : await answerOf(response);
  if (answer.code) throw refusal(response.status, answer);
  const faults = answer.errors ?? [];
  const errors = faults.map(({ param, code = "", message }) => ({
    pointer: param ? `/${param}` : "",
    code,
    detail: coded(`api:problem.${code}`) ?? message,
  }));
  const said = { code: errors[0]?.code, detail: errors[0]?.detail, errors };
  throw new ProblemError(readProblem(response.status, said, ""));
}
