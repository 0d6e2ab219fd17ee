/** From what the form of a new service holds to what the server takes. Pure. */
import { REPLICA } from "@/shared/api/kinds.gen";
import type { DryRunInput, ServiceInput, ServicePreset } from "@/shared/api/types";
import { choiceOf, devicesOf } from "@/shared/submission/model/devices";
import { envOf, type SecretRow, secretsOf, type Variable } from "@/shared/submission/model/secrets";
import type { SizeValues } from "@/shared/submission/model/sizes";
import { type ProgramForm, programOf, type TermsForm, termsChange, wantedOf } from "./revision";

/** What the server takes as a name: a part of the address. */
export const SERVICE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/;

export interface ServiceFormValues extends ProgramForm, TermsForm, Omit<SizeValues, "replicas"> {
  name: string;
  group: string;
  pool: string;
  image: string;
  preset: NonNullable<ServiceInput["preset"]>;
  volumes?: readonly string[];
  datasets?: readonly string[];
  env?: readonly (Variable | undefined)[];
  secrets?: readonly (SecretRow | undefined)[];
  port?: number | null;
  readiness_path?: string;
  start_deadline_s?: number | null;
}

/** What is left empty has the preset's value. */
export function serviceInput(form: ServiceFormValues): ServiceInput {
  const { name, group, pool, image, preset, cpu, memory_gib } = form;
  const { model, command, arguments: further } = programOf(form);
  return {
    ...{ name: name.trim(), group, pool, image, preset },
    ...(model && { model }),
    ...(command.length > 0 && { command }),
    ...(further.length > 0 && { arguments: further }),
    ...devicesOf(form),
    ...choiceOf(form),
    cpu_milli: Math.round(cpu * 1000),
    memory_mib: Math.round(memory_gib * 1024),
    ...promiseOf(form),
    ...filesAndSecretsOf(form),
    ...startOf(form),
  };
}

function filesAndSecretsOf({
  volumes = [],
  datasets = [],
  secrets = [],
  env = [],
}: ServiceFormValues) {
  const variables = envOf(env);
  return {
    ...(volumes.length > 0 && { volumes: [...volumes] }),
    ...(datasets.length > 0 && { datasets: [...datasets] }),
    ...(Object.keys(variables).length > 0 && { env: variables }),
    ...(secrets.length > 0 && { secrets: secretsOf(secrets) }),
  };
}

function startOf({ port, readiness_path, start_deadline_s }: ServiceFormValues) {
  return {
    ...(port && { port }),
    ...(readiness_path && { readiness_path }),
    ...(start_deadline_s && { start_deadline_s }),
  };
}

function promiseOf(form: ServiceFormValues) {
  const { quality, target_ms, is_first_token, rate, replicas_min, replicas_max } = form;
  const { zero_after_s, hold_max, hold_deadline_s, drain_s } = form;
  return termsChange({
    ...{ quality, replicas_min, replicas_max, hold_max, hold_deadline_s },
    ...(target_ms != null && { target_ms }),
    ...(is_first_token && { is_first_token }),
    ...(rate != null && { rate }),
    ...(replicas_min === 0 && zero_after_s && { zero_after_s }),
    ...(drain_s != null && { drain_s }),
  });
}

/** What a new service begins with. */
export const SERVICE_START = {
  preset: "vllm",
  quality: "latency",
  target_ms: 2000,
  is_first_token: true,
  replicas_min: 1,
  replicas_max: 1,
  zero_after_s: 600,
  hold_max: 1000,
  hold_deadline_s: 300,
} as const satisfies Partial<ServiceFormValues>;

/** Stands for what is not filled in yet: whether a replica would start does not depend on it. */
const STAND_IN = { name: "service", model: "model", command: "server" } as const;

/**
 * What the scheduler is asked about one replica: the whole service, with something in place of what is not filled
 * in yet, so that no fault of an untouched field is answered; null while a resource is missing.
 */
export function serviceDraft(
  form: Partial<ServiceFormValues>,
  preset: ServicePreset | undefined,
): DryRunInput | null {
  const { group, pool, image, cpu, memory_gib } = form;
  if (!group || !pool || !image || !cpu || !memory_gib || !devicesOf(form)) return null;
  const whole = withStandIns(form, preset) as ServiceFormValues;
  return { kind: REPLICA.kind, ...serviceInput(whole) };
}

function withStandIns(form: Partial<ServiceFormValues>, preset: ServicePreset | undefined) {
  const given = Object.fromEntries(
    Object.entries(form).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<ServiceFormValues>;
  const wanted = wantedOf(preset, given);
  return {
    ...SERVICE_START,
    ...given,
    name: SERVICE_NAME.test(form.name ?? "") ? form.name : STAND_IN.name,
    ...(wanted.command && { command: STAND_IN.command }),
    ...(wanted.model && !form.model?.trim() && { model: STAND_IN.model }),
    ...boundsOf({ ...SERVICE_START, ...given }),
  };
}

/** The numbers of replicas, the least no more than the most: the form names that fault itself. */
function boundsOf({
  replicas_min,
  replicas_max,
}: Pick<ServiceFormValues, "replicas_min" | "replicas_max">) {
  return { replicas_min: Math.min(replicas_min, replicas_max), replicas_max };
}
