/** What a token may be allowed to do, and for how long. */
export const SCOPES = ["workload.view", "workload.submit", "workload.stop"] as const;
export const EXPIRY_DAYS = [7, 30, 90, 365] as const;
