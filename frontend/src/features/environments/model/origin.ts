/** What addresses of notebooks say. Apart from the pages: the routes read it, and every page loads the routes. */

/** What the address of the form names: what a notebook begins with. */
export interface NotebookOrigin {
  template?: string;
  /** Another notebook. */
  from?: string;
  /** A job whose files, outputs, image and size it has. */
  job?: string;
}

export function readNotebookOrigin(search: Record<string, unknown>): NotebookOrigin {
  const names = ["template", "from", "job"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === "string" ? [[name, search[name]]] : [])),
  );
}

/** Where a reader came from who found the notebook stopped: its own pages, or one of its ports. */
export type StartFrom = "lab" | number;

const PORT_MAX = 65_535;

export function readStartSearch({ start }: Record<string, unknown>): { start?: StartFrom } {
  if (start === "lab") return { start };
  const port = Number(start);
  return Number.isInteger(port) && port > 0 && port <= PORT_MAX ? { start: port } : {};
}
