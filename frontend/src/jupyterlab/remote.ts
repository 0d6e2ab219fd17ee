/**
 * The container of the extension, as module federation defines it: JupyterLab calls `init` with the
 * packages that it shares, then `get` for the plugins. Built by `scripts/build-labextension.mjs`.
 */
import { createPlugins } from "./plugin";

interface Shared {
  get(): Promise<() => Record<string, unknown>>;
  loaded?: unknown;
}
type ShareScope = Record<string, Record<string, Shared>>;

let scope: ShareScope = {};

/** Return JupyterLab's own package: the version that is loaded, or else the newest. */
async function sharedPackage(name: string): Promise<Record<string, unknown>> {
  const versions = Object.entries(scope[name] ?? {}).sort(([one], [other]) =>
    other.localeCompare(one, "en", { numeric: true }),
  );
  const [, found] = versions.find(([, { loaded }]) => loaded) ?? versions[0] ?? [];
  if (!found) throw new Error(`berth-jupyterlab: this JupyterLab has no ${name}`);
  return (await found.get())();
}

const berthJupyterlab = {
  init(shared: ShareScope): void {
    scope = shared;
  },
  async get(): Promise<() => object> {
    const plugins = await createPlugins(sharedPackage);
    return () => ({ __esModule: true, default: plugins });
  },
};

const lab = window as unknown as { _JUPYTERLAB?: Record<string, object> };
lab._JUPYTERLAB = { ...lab._JUPYTERLAB, "berth-jupyterlab": berthJupyterlab };
