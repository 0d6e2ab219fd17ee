/** Apart from the form: the route reads it, and every page loads the routes. */

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
