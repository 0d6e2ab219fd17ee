/** The one way to the headless account API, which has its own error form. */
import { csrfToken } from "@/shared/api/client";

const BASE = "/_allauth/browser/v1";

/** `{"errors": [...]}` holds these; `param` names the field, where the fault is one field's. */
interface AccountFault {
  code?: string;
  message?: string;
  param?: string;
}

export function ask(method: string, path: string, body?: object): Promise<Response> {
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

/** Why it was refused; empty where the answer does not say. */
export async function faultsOf(refused: Response): Promise<AccountFault[]> {
  const body: { errors?: AccountFault[] } | null = await refused.json().catch(() => null);
  return body?.errors ?? [];
}
