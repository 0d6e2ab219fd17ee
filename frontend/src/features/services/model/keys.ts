/** A new key of a service as its form holds it, and as the server takes it. Pure. */
import type { ServiceKeyInput } from "@/shared/api/types";

/** Lifetimes of a key; 0 is without an end. */
export const EXPIRY_DAYS = [0, 7, 30, 90, 365] as const;
const DAY_MS = 86_400_000;

export interface KeyForm {
  name: string;
  requests_per_min?: number | null;
  tokens_per_min?: number | null;
  days: (typeof EXPIRY_DAYS)[number];
}

export function keyInput({ name, days, ...limits }: KeyForm, now: Date): ServiceKeyInput {
  return {
    name: name.trim(),
    requests_per_min: limits.requests_per_min ?? null,
    tokens_per_min: limits.tokens_per_min ?? null,
    expires_at: days === 0 ? null : new Date(now.getTime() + days * DAY_MS).toISOString(),
  };
}
