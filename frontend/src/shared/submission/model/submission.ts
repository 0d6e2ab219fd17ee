/** What every submission form offers and holds, and how it becomes what the server takes. Pure. */
import { KINDS, type WorkKind } from "@/shared/api/kinds.gen";
import type { EnvironmentInput, GroupRef, Image, JobInput, Pool } from "@/shared/api/types";
import { wallTime } from "@/shared/i18n/clock";
import { choiceForm, choiceOf, type DeviceForm, deviceForm, devicesOf, gibOf } from "./devices";
import { type FileValues, filesOf, fileValues } from "./files";
import { envOf, envRows, type SecretRow, secretRows, secretsOf, type Variable } from "./secrets";

/** Saved images have the name of their owner before their own; the others are the platform's. */
export const isOfPlatform = ({ name }: Pick<Image, "name">) => !name.includes("/");

export interface SubmissionChoices {
  groups: readonly [GroupRef, ...GroupRef[]];
  pools: readonly [Pool, ...Pool[]];
  images: readonly Image[];
  /** Name of the group to start with. */
  group: string;
}

/** The open pools; those that are there for this kind of work come first. */
export function poolsFor(kind: WorkKind, pools: readonly Pool[]): Pool[] {
  const isOther = ({ purpose }: Pool) => Number(purpose !== KINDS[kind].purpose);
  return pools
    .filter(({ is_open }) => is_open)
    .toSorted((one, other) => isOther(one) - isOther(other));
}

/**
 * The images that this kind of work can use. Those of the platform come first: forms choose the first
 * one, which must not be what another person has shared.
 */
export function imagesFor(kind: WorkKind, images: readonly Image[]): Image[] {
  const { images: use } = KINDS[kind];
  return images
    .filter((image) => image.is_active && (use === null || image[use]))
    .toSorted((one, other) => Number(isOfPlatform(other)) - Number(isOfPlatform(one)));
}

export function isNonEmpty<T>(list: readonly T[]): list is readonly [T, ...T[]] {
  return list.length > 0;
}

/** Amounts as people type them: cores and GiB. */
export interface SubmissionValues extends DeviceForm, FileValues {
  name: string;
  group: string;
  pool: string;
  image: string;
  cpu: number;
  memory_gib: number;
  time_limit_s: number;
  datasets?: readonly string[];
  /** As they are typed. */
  ports?: readonly string[];
  env?: readonly (Variable | undefined)[];
  secrets?: readonly (SecretRow | undefined)[];
  silence?: SilenceChoice;
}

/** What happens while its node is silent: what its pool says, or a restart elsewhere. */
export const SILENCE_CHOICES = ["pool", "replace"] as const;
export type SilenceChoice = (typeof SILENCE_CHOICES)[number];

type SubmissionInput = ReturnType<typeof submissionInput>;

export function submissionInput(form: SubmissionValues) {
  const { name, group, pool, image, cpu, memory_gib, time_limit_s } = form;
  const { datasets = [], ports = [], secrets = [], silence } = form;
  const env = envOf(form.env ?? []);
  const names = namesOfPorts(ports);
  return {
    name: name.trim(),
    group,
    pool,
    image,
    ...devicesOf(form),
    ...choiceOf(form),
    cpu_milli: Math.round(cpu * 1000),
    memory_mib: Math.round(memory_gib * 1024),
    time_limit_s,
    ...(datasets.length > 0 && { datasets: [...datasets] }),
    ...(ports.length > 0 && { ports: portsOf(ports) }),
    ...(names && { port_names: names }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(secrets.length > 0 && { secrets: secretsOf(secrets) }),
    ...(silence === "replace" && { silence }),
    ...filesOf(form),
  };
}

/** The part of a half-filled form that the scheduler is asked about; null while one is missing. */
export function submissionDraft(
  form: Partial<SubmissionValues>,
): Omit<SubmissionInput, "name"> | null {
  const { group, pool, image, cpu, memory_gib, time_limit_s } = form;
  if (!group || !pool || !image || !cpu || !memory_gib || !time_limit_s) return null;
  if (!devicesOf(form)) return null;
  const filled = { ...form, name: "", group, pool, image, cpu, memory_gib, time_limit_s };
  const {
    name: _,
    datasets: _read,
    ports: _open,
    port_names: _called,
    env: _set,
    secrets: _given,
    silence: _term,
    home: _own,
    volumes: _shared,
    inputs: _earlier,
    ...draft
  } = submissionInput(filled);
  return draft;
}

/** A name that is free in all likelihood: `notebook-1121-0930`. */
export function defaultName(stem: string, now: Date): string {
  const [, month, day, hour, minute] = wallTime(now).split(/\D/);
  return `${stem}-${month}${day}-${hour}${minute}`;
}

/** Ports as people type them. Pure. */
export const PORTS_MAX = 8;
const PORT_MAX = 65_535;

/** A number, and what to call what listens there: `6006`, `8501=My board`. */
const PORT = /^(\d{1,5})(?:=(.{1,40}))?$/;

export function arePorts(typed: readonly string[]): boolean {
  return typed.every((text) => {
    const number = Number(PORT.exec(text)?.[1]);
    return number >= 1 && number <= PORT_MAX;
  });
}

/** The numbers in what was typed, each once. */
export function portsOf(typed: readonly string[]): number[] {
  const numbers = typed.map((text) => Number(PORT.exec(text)?.[1]));
  return [...new Set(numbers)].sort((one, other) => one - other);
}

/** The names in what was typed, by port; undefined without any. */
export function namesOfPorts(typed: readonly string[]): Record<string, string> | undefined {
  const named = typed.flatMap((text) => {
    const [, port, name] = PORT.exec(text) ?? [];
    return port && name?.trim() ? [[String(Number(port)), name.trim()] as const] : [];
  });
  return named.length > 0 ? Object.fromEntries(named) : undefined;
}

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

/** The same request as a shell command, for pipelines. */
export function curlOf(portalUrl: string, path: string, body: object): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return [
    `curl --fail-with-body ${portalUrl}${path} \\`,
    '  -H "Authorization: Bearer $BERTH_TOKEN" \\',
    '  -H "Idempotency-Key: $PIPELINE_ID" \\',
    '  -H "Content-Type: application/json" \\',
    `  --data '${json}'`,
  ].join("\n");
}

/** One key per content: sending the same form twice creates one thing, a changed form another. */
export class IdempotencyKeys {
  #body = "";
  #key = "";

  for(body: object): string {
    const text = JSON.stringify(body);
    if (text !== this.#body) {
      this.#body = text;
      this.#key = randomKey();
    }
    return this.#key;
  }
}

/** 128 random bits. Not `randomUUID`: browsers offer that on HTTPS and localhost only. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// What was submitted before, or a template, as the form holds it.

/** What submits work, or a part of it. */
export type SubmissionBody = Partial<JobInput & EnvironmentInput>;

/**
 * Only what the body has. What is no longer offered, a pool or an image, is left out and has to be
 * chosen again.
 */
export function valuesLike(
  body: SubmissionBody,
  offered: SubmissionChoices,
): Partial<SubmissionValues> {
  const { cpu_milli, memory_mib, time_limit_s, ports, datasets, secrets, silence } = body;
  const names = body.port_names ?? {};
  return {
    ...placesOf(body, offered),
    ...deviceForm(body),
    ...choiceForm(body),
    ...fileValues(body),
    ...(cpu_milli !== undefined && { cpu: cpu_milli / 1000 }),
    ...(memory_mib !== undefined && { memory_gib: gibOf(memory_mib) }),
    ...(time_limit_s !== undefined && { time_limit_s }),
    ...(ports && { ports: ports.map((port) => [port, names[port]].filter(Boolean).join("=")) }),
    ...(datasets && { datasets }),
    ...(body.env && { env: envRows(body.env) }),
    ...(secrets && { secrets: secretRows(secrets) }),
    ...(silence === "replace" && { silence }),
  };
}

function placesOf(
  body: Pick<SubmissionBody, "group" | "pool" | "image">,
  { groups, pools, images }: SubmissionChoices,
): Partial<SubmissionValues> {
  const group = groups.find(({ name }) => name === body.group)?.name;
  const pool = pools.find(({ name }) => name === body.pool)?.name;
  const image = images.find(({ name }) => name === body.image)?.name;
  return { ...(group && { group }), ...(pool && { pool }), ...(image && { image }) };
}

// What was typed into a form and not submitted.

const DRAFTS_KEY = "berth.drafts";
/** Of so many forms, the last ones. */
const DRAFTS_MAX = 4;
/** The longest script, and as much again. */
const DRAFT_CHARS_MAX = 128 * 1024;

interface KeptForm {
  form: string;
  values: Partial<SubmissionValues>;
}

type DraftStore = Pick<Storage, "getItem" | "setItem">;

/**
 * What a form begins with where something was typed into it before. What is no longer offered is left out,
 * and variables have the values that they had `again`.
 */
export function readDraft<Values extends SubmissionValues>(
  store: DraftStore,
  form: string,
  offered: SubmissionChoices,
  again: Partial<SubmissionValues> = {},
): Partial<Values> | null {
  const kept = draftsIn(store).find((draft) => draft.form === form);
  if (!kept) return null;
  const { group: _, pool: _open, image: _usable, ...values } = kept.values;
  const env = values.env?.map((row) => again.env?.find((each) => each?.name === row?.name) ?? row);
  return { ...values, ...(env && { env }), ...placesOf(kept.values, offered) } as Partial<Values>;
}

/** Keep what is typed into a form; null forgets it. Values of variables may be secret: they are not kept. */
export function keepDraft(
  store: DraftStore,
  form: string,
  values: Partial<SubmissionValues> | null,
): void {
  const others = draftsIn(store).filter((draft) => draft.form !== form);
  const env = values?.env?.map((row) => ({ name: row?.name }));
  const draft = { form, values: { ...values, ...(env && { env }) } };
  const isKept = values && JSON.stringify(draft).length <= DRAFT_CHARS_MAX;
  const drafts = [...(isKept ? [draft] : []), ...others].slice(0, DRAFTS_MAX);
  try {
    store.setItem(DRAFTS_KEY, JSON.stringify(drafts));
  } catch {
    // The browser is full, or forbids it: the page goes on without.
  }
}

function draftsIn(store: DraftStore): KeptForm[] {
  try {
    return JSON.parse(store.getItem(DRAFTS_KEY) ?? "[]");
  } catch {
    return [];
  }
}
