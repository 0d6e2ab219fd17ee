/**
 * The JupyterLab extension: a line in the status bar, a warning before an idle notebook loses its GPUs
 * or is stopped, and "Run as a Berth job…". It asks the gateway below the notebook's own path; see ADR 60.
 */
import { formatDuration } from "@/shared/i18n/format";
import type { Language } from "@/shared/i18n/language";
import { idleLoss, type LabStatus, languageOf, say, statusLine } from "./status";

/** A name under which JupyterLab's plugins find each other's services. */
type ServiceToken = object;
type Packages = (name: string) => Promise<Record<string, unknown>>;

interface LabDocument {
  context: { path: string; model: { dirty: boolean }; save(): Promise<void> };
}

interface LabCommand {
  label: (args: { isShort?: boolean }) => string;
  caption: () => string;
  isVisible: () => boolean;
  isEnabled: (args: { place?: string }) => boolean;
  execute: (args: { place?: string }) => Promise<void>;
}

/** As much of JupyterLab 4's interfaces as is used; its packages bring a thousand others. */
interface Lab {
  commands: {
    addCommand(id: string, options: LabCommand): void;
    notifyCommandChanged(id: string): void;
  };
  serviceManager: { serverSettings: { baseUrl: string } };
}
interface NotebookTracker {
  currentWidget: LabDocument | null;
  find(match: (widget: LabDocument) => boolean): LabDocument | undefined;
}
interface FileBrowsers {
  tracker: { currentWidget: { selectedItems(): Iterable<{ path: string; type: string }> } | null };
}
interface StatusBar {
  registerStatusItem(id: string, item: { align: string; rank: number; item: object }): void;
}
interface Notices {
  emit(text: string, type: string, options: object): string;
  dismiss(id: string): void;
}

const RUN = "berth:run-as-job";
const POLL_MS = 15_000;
/** While nobody looks at the tab, or the portal does not answer. */
const QUIET_POLL_MS = 60_000;

/** While the connection is lost. */
const RECONNECT_POLL_MS = 2_000;
/** While the notebook is stopped, or does not answer any more. */
const RETURN_POLL_MS = 5_000;
/** What the gateway answers for a stopped notebook, with its page about that. */
const STOPPED = 424;
/** Above the dialogs of JupyterLab, which know only that the kernel is gone. */
const ABOVE_DIALOGS = "20000";
const ANSWER_MS = 10_000;

/** Return the plugins, given JupyterLab's own packages. */
export async function createPlugins(packages: Packages) {
  const names = [
    ...["application", "apputils", "filebrowser", "notebook"],
    ...["services", "statusbar", "translation"],
  ];
  const [application, apputils, filebrowser, notebook, services, statusbar, translation] =
    (await Promise.all(names.map((name) => packages(`@jupyterlab/${name}`)))) as Record<
      string,
      never
    >[];
  const { Widget } = (await packages("@lumino/widgets")) as {
    Widget: new (options: { node: HTMLElement }) => object;
  };
  let companion: Companion | null = null;
  const main = {
    id: "berth-jupyterlab:plugin",
    autoStart: true,
    requires: [notebook?.INotebookTracker as ServiceToken | undefined, statusbar?.IStatusBar],
    optional: [filebrowser?.IFileBrowserFactory, translation?.ITranslator],
    activate: (
      lab: Lab,
      notebooks: NotebookTracker,
      bar: StatusBar,
      browsers: FileBrowsers | null,
      translator: { languageCode: string } | null,
    ) => {
      const node = document.createElement("a");
      bar.registerStatusItem("berth-jupyterlab:status", {
        align: "right",
        rank: 900,
        item: new Widget({ node }),
      });
      const desk = new Desk(lab, services?.ServerConnection as unknown as Connection);
      companion = new Companion(
        lab,
        desk,
        node,
        apputils?.Notification as unknown as Notices,
        translator?.languageCode ?? "",
      );
      addRunCommand(lab, companion, notebooks, browsers);
      companion.start();
    },
  };
  // JupyterLab asks whoever provides this what to do; its own answer is a dialog over the page that
  // stays when the connection is back.
  const connection = {
    id: "berth-jupyterlab:connection",
    autoStart: true,
    provides: application?.IConnectionLost as ServiceToken | undefined,
    activate: () => async () => companion?.sayDisconnected(),
  };
  return [main, connection];
}

interface Connection {
  makeRequest(url: string, init: RequestInit, settings: object): Promise<Response>;
}

/** Berth's gateway, which answers below this notebook's path; requests carry the page's own token. */
class Desk {
  constructor(
    private readonly lab: Lab,
    private readonly connection: Connection,
  ) {}

  async ask(what: "status" | "keep"): Promise<LabStatus> {
    const settings = this.lab.serviceManager.serverSettings;
    const method = what === "keep" ? "POST" : "GET";
    const init = { method, signal: AbortSignal.timeout(ANSWER_MS) };
    const url = `${settings.baseUrl}berth/${what}`;
    const answer = await this.connection.makeRequest(url, init, settings);
    if (answer.status === STOPPED) throw new NotebookStopped(await answer.text());
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.detail ?? body.title);
    return body;
  }
}

/** Raised with the gateway's page, which says so and leads to a start. */
class NotebookStopped extends Error {}

/** What the page knows of its notebook, and shows. */
class Companion {
  status: LabStatus | null = null;
  private shown: { key: string; notice: string } | null = null;
  private disconnected: string | null = null;
  /** The last answer: language and address of the notebook's page stay true without a connection. */
  private known: LabStatus | null = null;
  private timer = 0;
  /** The page about a stopped notebook, while it is shown. */
  private cover: HTMLElement | null = null;
  /** News that this tab has shown; they stay unread in the portal. */
  private readonly told = new Set<string>();

  constructor(
    private readonly lab: Lab,
    private readonly desk: Desk,
    private readonly node: HTMLAnchorElement,
    readonly notices: Notices,
    private readonly labLanguage: string,
  ) {
    node.className = "berth-status jp-StatusBar-TextItem";
    node.target = "_blank";
    node.rel = "noopener";
    node.style.textDecoration = "none";
  }

  get language(): Language {
    return languageOf(this.labLanguage, this.known?.language);
  }

  start(): void {
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) void this.refresh();
    });
    void this.refresh();
  }

  /** Say it without a dialog: JupyterLab tries again by itself, and an open kernel goes on. */
  sayDisconnected(): void {
    if (this.disconnected !== null) return;
    const actions = this.known ? [this.link(this.known.page_url)] : [];
    const options = { autoClose: false, actions };
    this.disconnected = this.notices.emit(this.say("disconnected"), "warning", options);
    void this.refresh();
  }

  say(key: string, values?: Record<string, string>): string {
    return say(this.language, key, values);
  }

  private async refresh(): Promise<void> {
    window.clearTimeout(this.timer);
    // Without an answer the line goes: nothing known is better than something old.
    const answer = await this.desk.ask("status").catch((fault: unknown) => fault);
    if (answer instanceof NotebookStopped) this.sayStopped(answer.message);
    else this.show(answer instanceof Error ? null : (answer as LabStatus));
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.refresh(), this.nextPollMs());
  }

  private nextPollMs(): number {
    if (document.hidden) return QUIET_POLL_MS;
    if (this.cover) return RETURN_POLL_MS;
    if (this.disconnected !== null) return RECONNECT_POLL_MS;
    if (this.status) return POLL_MS;
    return this.known ? RETURN_POLL_MS : QUIET_POLL_MS;
  }

  /** Show the gateway's page over JupyterLab, with its unsaved edits; a reload would lose them. */
  private sayStopped(html: string): void {
    this.show(null);
    const main = new DOMParser().parseFromString(html, "text/html").querySelector("main");
    if (this.cover || !main) return;
    this.cover = document.createElement("div");
    this.cover.className = "berth-stopped";
    this.cover.role = "alert";
    Object.assign(this.cover.style, {
      position: "fixed",
      inset: "0",
      zIndex: ABOVE_DIALOGS,
      padding: "15vh max(1.5rem, calc(50vw - 18rem))",
      overflow: "auto",
      font: "16px/1.6 var(--jp-ui-font-family)",
      color: "var(--jp-ui-font-color1)",
      background: "var(--jp-layout-color1)",
    });
    for (const link of main.querySelectorAll("a")) link.target = "_blank";
    this.cover.append(document.adoptNode(main));
    document.body.append(this.cover);
  }

  /** Its server and its token are new: only a new page reaches them. */
  private returned(): void {
    this.cover?.remove();
    this.cover = null;
    window.location.reload();
  }

  private show(status: LabStatus | null): void {
    this.status = status;
    this.known = status ?? this.known;
    this.node.style.display = status ? "" : "none";
    this.lab.commands.notifyCommandChanged(RUN);
    if (!status) return;
    if (this.cover) this.returned();
    if (this.disconnected !== null) this.notices.dismiss(this.disconnected);
    this.disconnected = null;
    const { text, isUrgent } = statusLine(status, this.language);
    this.node.textContent = text;
    this.node.title = this.say("about");
    this.node.href = status.page_url;
    this.node.style.color = isUrgent ? "var(--jp-warn-color0)" : "inherit";
    this.node.style.fontWeight = isUrgent ? "600" : "inherit";
    this.warn(status);
    for (const { id, text, url } of status.notices) {
      if (!this.told.has(id))
        this.notices.emit(text, "info", { autoClose: false, actions: [this.link(url)] });
      this.told.add(id);
    }
  }

  private link(url: string) {
    const callback = () => window.open(url, "_blank", "noopener");
    return { label: this.say("openPage"), displayType: "link", callback };
  }

  /** One notice for each step that was announced; it goes when the step is off. */
  private warn(status: LabStatus): void {
    const loss = status.is_own ? idleLoss(status, this.language) : null;
    const key = loss ? `${loss.loss} ${status.idle?.next_at}` : "";
    if (key === (this.shown?.key ?? "")) return;
    if (this.shown) this.notices.dismiss(this.shown.notice);
    this.shown = null;
    if (!loss) return;
    const text = this.say(`warning.${loss.loss}`, { left: loss.left });
    const actions = this.actionsFor(status);
    const notice = this.notices.emit(text, "warning", { autoClose: false, actions });
    this.shown = { key, notice };
  }

  private actionsFor({ idle, page_url }: LabStatus) {
    const time = formatDuration(idle?.keep_s ?? 0, this.language);
    const keep = {
      label: this.say("keep", { time }),
      displayType: "accent",
      callback: () => void this.keep(),
    };
    return idle?.keeps_left ? [keep, this.link(page_url)] : [this.link(page_url)];
  }

  private async keep(): Promise<void> {
    try {
      this.show(await this.desk.ask("keep"));
    } catch (fault) {
      const why = fault instanceof Error ? fault.message : String(fault);
      this.notices.emit(this.say("keepFailed", { why }), "error", { autoClose: 10_000 });
    }
  }
}

/** The command of toolbar and menus (the open notebook) and of the file list (the chosen one). */
function addRunCommand(
  lab: Lab,
  companion: Companion,
  notebooks: NotebookTracker,
  browsers: FileBrowsers | null,
): void {
  const chosenFile = (place?: string): string | undefined => {
    if (place !== "files") return notebooks.currentWidget?.context.path;
    const [item] = browsers?.tracker.currentWidget?.selectedItems() ?? [];
    return item?.type === "notebook" ? item.path : undefined;
  };
  lab.commands.addCommand(RUN, {
    label: ({ isShort }) => companion.say(isShort ? "runAsJobShort" : "runAsJob"),
    caption: () => companion.say("runAsJob"),
    isVisible: () => !!companion.status?.job_form_url,
    isEnabled: ({ place }) => chosenFile(place) !== undefined,
    execute: async ({ place }) => {
      const path = chosenFile(place);
      const form = companion.status?.job_form_url;
      if (!path || !form) return;
      // Opened at the click: browsers refuse windows that come later, after the file is saved.
      const tab = window.open("", "_blank");
      if (tab) tab.opener = null;
      try {
        const open = notebooks.find(({ context }) => context.path === path);
        if (open?.context.model.dirty) await open.context.save();
      } catch (fault) {
        tab?.close();
        const text = companion.say("notSaved", { why: String(fault) });
        companion.notices.emit(text, "error", { autoClose: 10_000 });
        return;
      }
      tab?.location.replace(`${form}&file=${encodeURIComponent(path)}`);
    },
  });
}
