/** One key per content: sending the same form twice creates one thing, a changed form another. */
export class IdempotencyKeys {
  #body = "";
  #key = "";

  for(body: object): string {
    const text = JSON.stringify(body);
    if (text !== this.#body) {
      this.#body = text;
      this.#key = randomKey();
    }
    return this.#key;
  }
}

/** 128 random bits. Not `randomUUID`: browsers offer that on HTTPS and localhost only. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
