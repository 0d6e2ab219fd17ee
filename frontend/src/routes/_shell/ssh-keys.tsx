import { createFileRoute } from "@tanstack/react-router";
import { SshKeysPage } from "@/features/ssh-keys/components/ssh-keys-page";

export const Route = createFileRoute("/_shell/ssh-keys")({ component: SshKeysPage });
