/** What a service's replicas run and what it promises: as dialogs hold it, and back. Pure. */
import type { ServiceChange, ServiceDetail, ServicePreset } from "@/shared/api/types";
import { commandLine, splitCommand } from "@/shared/submission/model/program";

/** What is run, as people write it. */
export interface ProgramForm {
  image?: string;
  model?: string;
  command?: string;
  arguments?: string;
}

export interface RevisionForm extends ProgramForm {
  canary_pct?: number | null;
}

export function revisionForm({ current: { spec } }: ServiceDetail): RevisionForm {
  return {
    image: spec.image,
    model: spec.model,
    command: commandLine(spec.command),
    arguments: commandLine(spec.arguments),
  };
}

/** The command lines as words; without a command the preset's runs. */
export function programOf({ model = "", command = "", arguments: further = "" }: ProgramForm) {
  return {
    model: model.trim(),
    command: splitCommand(command).words,
    arguments: splitCommand(further).words,
  };
}

/** Whether it has to bring a command, or to name a model: the preset has none, or asks for one. */
export function wantedOf(
  preset: Pick<ServicePreset, "command" | "needs_model"> | undefined,
  { command = "" }: ProgramForm,
): { command: boolean; model: boolean } {
  const isOwn = command.trim() !== "";
  return {
    command: preset?.command.length === 0 && !isOwn,
    model: Boolean(preset?.needs_model) && !isOwn,
  };
}

export function revisionChange({ image, canary_pct, ...program }: RevisionForm): ServiceChange {
  return {
    ...(image && { image }),
    ...programOf(program),
    ...(canary_pct && { canary_pct }),
  };
}

/** What a service promises, in the units of its form. */
export interface TermsForm {
  quality: ServiceDetail["quality"];
  target_ms?: number | null;
  is_first_token?: boolean;
  /** Requests in a second; none is as many as come. */
  rate?: number | null;
  replicas_min: number;
  replicas_max: number;
  /** Only where the least is none. */
  zero_after_s?: number;
  hold_max: number;
  hold_deadline_s: number;
  drain_s?: number | null;
}

const MILLI = 1000;

export function termsForm(service: ServiceDetail): TermsForm {
  const { quality, target_ms, is_first_token, rate_milli, replicas } = service;
  const { zero_after_s, hold_max, hold_deadline_s, drain_s } = service;
  return {
    ...{ quality, target_ms, is_first_token, rate: rate_milli / MILLI || null },
    ...{ replicas_min: replicas.min, replicas_max: replicas.max },
    ...{ zero_after_s, hold_max, hold_deadline_s, drain_s },
  };
}

/** The same as the server takes it: the target is that of its quality, and no other is sent. */
export function termsChange({ quality, target_ms, is_first_token, rate, ...rest }: TermsForm) {
  const { drain_s, ...bounds } = rest;
  const target =
    quality === "latency"
      ? { target_ms: target_ms ?? null, is_first_token: is_first_token ?? false }
      : { rate_milli: Math.round((rate ?? 0) * MILLI) };
  return { quality, ...target, ...bounds, ...(drain_s != null && { drain_s }) };
}
