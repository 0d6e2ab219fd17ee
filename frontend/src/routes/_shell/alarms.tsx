import { createFileRoute } from "@tanstack/react-router";
import { AlarmsPage } from "@/features/alarms/components/alarms-page";

export const Route = createFileRoute("/_shell/alarms")({ component: AlarmsPage });
