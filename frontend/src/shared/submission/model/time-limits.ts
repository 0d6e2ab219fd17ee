/** Time limits that a form offers: round numbers up to the pool's maximum, its default, the present one. */

const HOUR_S = 3600;
const OFFERED_H = [1, 2, 4, 8, 12, 24, 48, 72, 120, 168, 336] as const;

interface Limits {
  default_time_limit_s: number;
  time_limit_s_max: number;
}

export function timeLimitsOf(pool: Limits, chosen = pool.default_time_limit_s): number[] {
  const offered = OFFERED_H.map((hours) => hours * HOUR_S).filter(
    (seconds) => seconds <= pool.time_limit_s_max,
  );
  return [...new Set([...offered, pool.default_time_limit_s, chosen])].sort((a, b) => a - b);
}
