/** Where a reader came from who found the notebook stopped: its own pages, or one of its ports. */
export type StartFrom = "lab" | number;

const PORT_MAX = 65_535;

export function readStartSearch({ start }: Record<string, unknown>): { start?: StartFrom } {
  if (start === "lab") return { start };
  const port = Number(start);
  return Number.isInteger(port) && port > 0 && port <= PORT_MAX ? { start: port } : {};
}
