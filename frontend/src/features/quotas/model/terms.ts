/** The words of quotas that are explained, in the order in which they are. Pure. */
export const QUOTA_TERMS = [
  "guarantee",
  "deserved",
  "ceiling",
  "user_ceiling",
  "borrowed",
  "weight",
] as const;
export type QuotaTerm = (typeof QUOTA_TERMS)[number];
