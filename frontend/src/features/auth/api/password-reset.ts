import { useMutation } from "@tanstack/react-query";
import { answerOf, askAccount, refusal } from "@/shared/session/account";

/** Ask for a mail; the answer is the same whether there is such an account or not. */
export function useRequestReset() {
  return useMutation({
    mutationFn: (email: string) => send("/auth/password/request", { email }),
  });
}

/** Set a new password by the key of a mail. */
export function useResetPassword(key: string) {
  return useMutation({
    mutationFn: (password: string) => send("/auth/password/reset", { key, password }),
  });
}

async function send(path: string, body: object): Promise<void> {
  // Sets the CSRF cookie; answers 401 while there is no session.
  await askAccount("GET", "/auth/session");
  const response = await askAccount("POST", path, body);
  const answer = await answerOf(response);
  // 401 without a fault: it is done, and nobody is signed in.
  const isDone = response.ok || (response.status === 401 && !answer.errors);
  if (!isDone) throw refusal(response.status, answer);
}

/** What the server demands of a password. */
export const LEAST_LENGTH = 12;
