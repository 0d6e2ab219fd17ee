/** Ports as people type them. Pure. */
export const PORTS_MAX = 8;
const PORT_MAX = 65_535;

export function arePorts(typed: readonly string[]): boolean {
  return typed.every(
    (text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= PORT_MAX,
  );
}

/** The numbers in what was typed, each once. */
export function portsOf(typed: readonly string[]): number[] {
  return [...new Set(typed.map(Number))].sort((one, other) => one - other);
}
