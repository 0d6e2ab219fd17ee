/** The schema's objects under the names that pages use. */
import type { components } from "./schema.gen";

type Schemas = components["schemas"];

export type GroupRef = Schemas["GroupRef"];
export type Me = Schemas["MeOutput"];
export type Config = Schemas["ConfigOutput"];
export type Reason = Schemas["WaitReason"];
export type Pool = Schemas["PoolOutput"];
export type Accelerator = Schemas["AcceleratorOutput"];
export type Node = Schemas["NodeOutput"];
export type Image = Schemas["ImageOutput"];
export type Quota = Schemas["QuotaShape"];
export type Workload = Schemas["WorkloadSummary"];
export type WorkloadDetail = Schemas["WorkloadDetail"];
export type WorkloadEvent = Schemas["WorkloadEventShape"];
export type WorkloadState = Workload["state"];
export type DryRunInput = Schemas["DryRunInputRequest"];
export type Verdict = Schemas["DryRunAnswer"];
export type EnvironmentInput = Schemas["EnvironmentInputRequest"];
export type JobInput = Schemas["JobInputRequest"];
export type StartRange = Schemas["StartRangeShape"];
export type PoolQueue = Schemas["QueueShape"];
export type WorkGlimpse = Schemas["WorkGlimpse"];
export type StoppedWork = Schemas["StoppedWork"];
export type WaitingWork = Schemas["WaitingWork"];
export type ReservedWork = Schemas["ReservedWork"];
export type RunningWork = Schemas["RunningWork"];
export type Policy = Schemas["PolicyInput"];
export type PolicyAnswer = Schemas["PolicyShape"];
export type QuotaInput = Schemas["PatchedQuotaInputRequest"];
export type Group = Schemas["GroupOutput"];
export type OutputFile = Schemas["OutputShape"];
export type Token = Schemas["TokenOutput"];
export type TokenInput = Schemas["TokenInputRequest"];
export type NewToken = Schemas["IssuedTokenOutput"];
export type Telemetry = Schemas["TelemetryOutput"];
