// Written by `make reference` from portal/common/work_kinds.py. Do not edit.

export const NOTEBOOK = {
  "kind": "environment",
  "plural": "environments",
  "page": "notebooks",
  "manifests": [
    "Environment"
  ],
  "operation": "environment",
  "purpose": "development",
  "images": "for_environments",
  "is_prescribed": false,
  "preemptible_by_default": false,
  "stop": "stop",
  "runs_to_end": false,
  "is_kept": true,
  "is_handed_over": true,
  "endpoint": "server"
} as const;

export const JOB = {
  "kind": "training",
  "plural": "jobs",
  "page": "jobs",
  "manifests": [
    "Job",
    "JobArray"
  ],
  "operation": "job",
  "purpose": "training",
  "images": "for_training",
  "is_prescribed": false,
  "preemptible_by_default": true,
  "stop": "cancel",
  "runs_to_end": true,
  "is_kept": false,
  "is_handed_over": true,
  "endpoint": "ports"
} as const;

export const APP = {
  "kind": "app",
  "plural": "app-sessions",
  "page": "apps",
  "manifests": [],
  "operation": "app_session",
  "purpose": "development",
  "images": null,
  "is_prescribed": true,
  "preemptible_by_default": false,
  "stop": "close",
  "runs_to_end": false,
  "is_kept": false,
  "is_handed_over": false,
  "endpoint": "port"
} as const;

export const REPLICA = {
  "kind": "replica",
  "plural": "replicas",
  "page": "replicas",
  "manifests": [
    "Service"
  ],
  "operation": "replica",
  "purpose": "inference",
  "images": "for_training",
  "is_prescribed": true,
  "preemptible_by_default": false,
  "stop": "stop",
  "runs_to_end": false,
  "is_kept": false,
  "is_handed_over": false,
  "endpoint": "port"
} as const;

/** Each kind of work by its name. */
export const KINDS = {
  environment: NOTEBOOK,
  training: JOB,
  app: APP,
  replica: REPLICA,
} as const;

export type WorkKind = keyof typeof KINDS;
