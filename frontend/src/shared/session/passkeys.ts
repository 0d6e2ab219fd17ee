/** Passkeys: the browser's WebAuthn calls, with options and answers as the server's JSON. */

/** Options as the account API sends them, for one of the two calls. */
export interface CredentialOptions {
  request_options: { publicKey: PublicKeyCredentialRequestOptionsJSON };
  creation_options: { publicKey: PublicKeyCredentialCreationOptionsJSON };
}

/** Browsers keep passkeys for names, never for addresses, and only where nobody listens in. */
export function canUsePasskeys({ hostname }: Pick<Location, "hostname"> = location): boolean {
  const isAddress = hostname.includes(":") || /^[\d.]+$/.test(hostname);
  return (
    !isAddress &&
    typeof PublicKeyCredential !== "undefined" &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function"
  );
}

/** Ask the person for one of their passkeys; raises `NotAllowedError` when they decline. */
export async function askPasskey({
  publicKey,
}: CredentialOptions["request_options"]): Promise<unknown> {
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey);
  return jsonOf(await navigator.credentials.get({ publicKey: options }));
}

/** Make a passkey; raises `NotAllowedError` when the person declines. */
export async function makePasskey({
  publicKey,
}: CredentialOptions["creation_options"]): Promise<unknown> {
  const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey);
  return jsonOf(await navigator.credentials.create({ publicKey: options }));
}

function jsonOf(credential: Credential | null): unknown {
  return (credential as PublicKeyCredential | null)?.toJSON();
}

const DECLINED = ["NotAllowedError", "AbortError"];

/** Whether the person closed the browser's dialog, or let it time out: nothing has failed. */
export function isDeclined(error: unknown): boolean {
  return error instanceof Error && DECLINED.includes(error.name);
}
