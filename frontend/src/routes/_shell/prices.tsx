import { createFileRoute } from "@tanstack/react-router";
import { PricesPage } from "@/features/usage/components/prices-page";

export const Route = createFileRoute("/_shell/prices")({ component: PricesPage });
