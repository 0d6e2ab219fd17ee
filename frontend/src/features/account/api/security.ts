/** Second factors and sessions of the signed-in person, by the account API. */
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useListChanges } from "@/shared/live/live";
import {
  type AccountAnswer,
  answerOf,
  askAccount,
  refusal,
  type SecondFactor,
} from "@/shared/session/account";
import { type CredentialOptions, makePasskey } from "@/shared/session/passkeys";

const AUTHENTICATORS = "/account/authenticators";
const SESSIONS = "/auth/sessions";

/** Times of the account API are seconds since 1970. */
export interface Authenticator {
  type: SecondFactor;
  created_at: number;
  last_used_at: number | null;
  total_code_count?: number;
  unused_code_count?: number;
  /** Of passkeys. */
  id?: number;
  name?: string;
}

export interface BrowserSession {
  id: number;
  user_agent: string;
  ip: string;
  created_at: number;
  is_current: boolean;
}

/** The act needs the password once more, because a signed-in browser may be someone else's by now. */
export class PasswordNeededError extends Error {
  override readonly name = "PasswordNeededError";
}

async function change(method: string, path: string, body?: object): Promise<AccountAnswer> {
  const response = await askAccount(method, path, body);
  const answer = await answerOf(response);
  // An app that is not enrolled yet is "not found", and comes with the secret to enrol it.
  if (response.ok || answer.meta?.secret) return answer;
  if (response.status === 401 && answer.meta?.is_authenticated) throw new PasswordNeededError();
  throw refusal(response.status, answer);
}

const securityKeys = {
  all: ["security"] as const,
  authenticators: ["security", "authenticators"] as const,
  sessions: ["security", "sessions"] as const,
};

const authenticatorsQuery = queryOptions({
  queryKey: securityKeys.authenticators,
  queryFn: async () => ((await change("GET", AUTHENTICATORS)).data ?? []) as Authenticator[],
});

export function useAuthenticators() {
  return useQuery(authenticatorsQuery);
}

/** The browsers that are signed in; opened, ended and enrolled elsewhere is seen here, too. */
export function useSessions() {
  useListChanges(["user"], [securityKeys.all]);
  return useQuery({
    queryKey: securityKeys.sessions,
    queryFn: async () => (await change("GET", SESSIONS)).data as BrowserSession[],
  });
}

/** A mutation after which all that the page shows is read again. */
function useSecurityMutation<Input, Output>(act: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () => client.invalidateQueries({ queryKey: securityKeys.all }),
  });
}

export function useConfirmPassword() {
  return useMutation({
    mutationFn: (password: string) => change("POST", "/auth/reauthenticate", { password }),
  });
}

/** What an authenticator app needs to know, as text and as the address of the QR code. */
export interface AppSecret {
  secret: string;
  address: string;
}

export async function startApp(): Promise<AppSecret> {
  const { meta } = await change("GET", `${AUTHENTICATORS}/totp`);
  return { secret: meta?.secret ?? "", address: meta?.totp_url ?? "" };
}

/** Enrol the app by its first code; answers with recovery codes if these are the first. */
export function useEnrolApp() {
  return useSecurityMutation(async (code: string) => {
    await change("POST", `${AUTHENTICATORS}/totp`, { code });
    return readRecoveryCodes();
  });
}

export function useRemoveApp() {
  return useSecurityMutation((_: undefined) => change("DELETE", `${AUTHENTICATORS}/totp`));
}

interface RecoveryCodes {
  unused_codes?: string[];
}

/** Shown by the server the first time only. */
async function readRecoveryCodes(): Promise<string[]> {
  const { data } = await change("GET", `${AUTHENTICATORS}/recovery-codes`);
  return (data as RecoveryCodes | undefined)?.unused_codes ?? [];
}

/** New recovery codes; the old ones open nothing any more. */
export function useRenewRecoveryCodes() {
  return useSecurityMutation(async (_: undefined) => {
    const { data } = await change("POST", `${AUTHENTICATORS}/recovery-codes`, {});
    return (data as RecoveryCodes).unused_codes ?? [];
  });
}

/** Make a passkey on this device; answers with recovery codes if these are the first. */
export function useAddPasskey() {
  return useSecurityMutation(async (name: string) => {
    const path = `${AUTHENTICATORS}/webauthn`;
    const { data } = await change("GET", `${path}?passwordless`);
    const credential = await makePasskey((data as CredentialOptions).creation_options);
    await change("POST", path, { name, credential, passwordless: true });
    return readRecoveryCodes();
  });
}

export function useRemovePasskey() {
  return useSecurityMutation((id: number) =>
    change("DELETE", `${AUTHENTICATORS}/webauthn`, { authenticators: [id] }),
  );
}

export function useEndSessions() {
  return useSecurityMutation((sessions: number[]) => change("DELETE", SESSIONS, { sessions }));
}
