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

/**
 * What the scheduler is asked about one replica: of the whole service once the form is complete, else of its
 * resources; null while one of those is missing.
 */
export function serviceDraft(
  form: Partial<ServiceFormValues>,
  preset: ServicePreset | undefined,
): DryRunInput | null {
  const { group, pool, image, cpu, memory_gib } = form;
  const devices = devicesOf(form);
  if (!group || !pool || !image || !cpu || !memory_gib || !devices) return null;
  if (isComplete(form, preset)) return { kind: REPLICA.kind, ...serviceInput(form) };
  return {
    ...{ kind: REPLICA.kind, group, pool, image },
    ...devices,
    ...choiceOf(form),
    cpu_milli: Math.round(cpu * 1000),
    memory_mib: Math.round(memory_gib * 1024),
  };
}

function isComplete(
  form: Partial<ServiceFormValues>,
  preset: ServicePreset | undefined,
): form is ServiceFormValues {
  const wanted = wantedOf(preset, form);
  const hasProgram = !wanted.command && !(wanted.model && !form.model?.trim());
  const hasTarget = form.quality === "throughput" || form.target_ms != null;
  return Boolean(preset && SERVICE_NAME.test(form.name ?? "") && hasProgram && hasTarget);
}
