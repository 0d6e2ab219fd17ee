/** A web app as its form holds it, and the folder of a session. Pure. */
import type {
  AppSessionInput,
  WebApp,
  WebAppInput,
  WebAppPreset,
  WorkloadDetail,
} from "@/shared/api/types";

/** Names that the server takes: sessions are started by them. */
export const APP_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
/** At which address an app is served, the usual one first. */
export const SERVED_AT = ["path", "base_path", "host"] as const;
export const APP_ICONS = ["chart", "experiment", "code", "table", "app"] as const;

const MINUTE_S = 60;
const MILLI = 1000;

export interface AppForm {
  name: string;
  title_en: string;
  title_zh: string;
  description_en?: string;
  description_zh?: string;
  icon: WebApp["icon"];
  image: string;
  /** One argument a line, the program first. */
  command: string;
  served_at: WebApp["served_at"];
  writes: boolean;
  cpus: number;
  memory_mib: number;
  idle_min: number;
  limit_min: number;
}

export const NEW_APP: Partial<AppForm> = {
  icon: "app",
  served_at: "path",
  writes: false,
  cpus: 1,
  memory_mib: 1024,
  idle_min: 30,
  limit_min: 480,
};

export function appForm(app: WebApp): AppForm {
  return { ...presetForm(app), image: app.image.id };
}

/** What a preset fills: everything but the image. */
export function presetForm(app: WebAppPreset): Omit<AppForm, "image"> {
  return {
    name: app.name,
    title_en: app.title_en,
    title_zh: app.title_zh,
    description_en: app.description_en,
    description_zh: app.description_zh,
    icon: app.icon,
    command: app.command.join("\n"),
    served_at: app.served_at,
    writes: app.writes,
    cpus: app.cpu_milli / MILLI,
    memory_mib: app.memory_mib,
    idle_min: app.idle_s / MINUTE_S,
    limit_min: app.time_limit_s / MINUTE_S,
  };
}

export function appInput(form: AppForm): WebAppInput {
  const { cpus, idle_min, limit_min, command, ...same } = form;
  return {
    ...same,
    title_en: form.title_en.trim(),
    title_zh: form.title_zh.trim(),
    description_en: form.description_en?.trim() ?? "",
    description_zh: form.description_zh?.trim() ?? "",
    command: command.split("\n").filter((line) => line.trim() !== ""),
    cpu_milli: Math.round(cpus * MILLI),
    idle_s: Math.round(idle_min * MINUTE_S),
    time_limit_s: Math.round(limit_min * MINUTE_S),
  };
}

/** What would start an ended session again; null for one that shows nothing that is known. */
export function sameAgain({ app, shows, group }: WorkloadDetail): AppSessionInput | null {
  if (!app || !shows) return null;
  const path = shows.path;
  if (shows.kind === "input") return { app: app.name, job: shows.id, path };
  const of = shows.kind === "home" ? { home: true } : { volume: shows.id };
  return { app: app.name, ...of, group: group.id, path };
}
