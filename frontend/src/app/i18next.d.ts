/** Makes every text key known to the compiler. English is the reference; the check compares Chinese. */
import "i18next";
import type alarms from "@/features/alarms/locales/en.json";
import type approvals from "@/features/approvals/locales/en.json";
import type audit from "@/features/audit/locales/en.json";
import type auth from "@/features/auth/locales/en.json";
import type datasets from "@/features/datasets/locales/en.json";
import type environments from "@/features/environments/locales/en.json";
import type files from "@/features/files/locales/en.json";
import type images from "@/features/images/locales/en.json";
import type inbox from "@/features/inbox/locales/en.json";
import type jobs from "@/features/jobs/locales/en.json";
import type nodes from "@/features/nodes/locales/en.json";
import type overview from "@/features/overview/locales/en.json";
import type people from "@/features/people/locales/en.json";
import type policy from "@/features/policy/locales/en.json";
import type pools from "@/features/pools/locales/en.json";
import type queue from "@/features/queue/locales/en.json";
import type quotas from "@/features/quotas/locales/en.json";
import type reservations from "@/features/reservations/locales/en.json";
import type secrets from "@/features/secrets/locales/en.json";
import type site from "@/features/site/locales/en.json";
import type sshKeys from "@/features/ssh-keys/locales/en.json";
import type studies from "@/features/studies/locales/en.json";
import type templates from "@/features/templates/locales/en.json";
import type terminal from "@/features/terminal/locales/en.json";
import type tokens from "@/features/tokens/locales/en.json";
import type usage from "@/features/usage/locales/en.json";
import type volumes from "@/features/volumes/locales/en.json";
import type api from "@/shared/api/locales/en.json";
import type cluster from "@/shared/cluster/locales/en.json";
import type submission from "@/shared/submission/locales/en.json";
import type telemetry from "@/shared/telemetry/locales/en.json";
import type ui from "@/shared/ui/locales/en.json";
import type workload from "@/shared/workload/locales/en.json";
import type app from "./locales/en.json";

declare module "i18next" {
  interface CustomTypeOptions {
    returnNull: false;
    contextSeparator: "~";
    resources: {
      api: typeof api;
      app: typeof app;
      alarms: typeof alarms;
      approvals: typeof approvals;
      audit: typeof audit;
      auth: typeof auth;
      cluster: typeof cluster;
      datasets: typeof datasets;
      environments: typeof environments;
      files: typeof files;
      images: typeof images;
      inbox: typeof inbox;
      jobs: typeof jobs;
      nodes: typeof nodes;
      overview: typeof overview;
      people: typeof people;
      policy: typeof policy;
      pools: typeof pools;
      queue: typeof queue;
      quotas: typeof quotas;
      reservations: typeof reservations;
      secrets: typeof secrets;
      site: typeof site;
      "ssh-keys": typeof sshKeys;
      studies: typeof studies;
      submission: typeof submission;
      telemetry: typeof telemetry;
      templates: typeof templates;
      terminal: typeof terminal;
      tokens: typeof tokens;
      ui: typeof ui;
      volumes: typeof volumes;
      usage: typeof usage;
      workload: typeof workload;
    };
  }
}
