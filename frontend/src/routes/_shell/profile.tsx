import { createFileRoute } from "@tanstack/react-router";
import { switchLanguage } from "@/app/i18n";
import { ProfilePage } from "@/features/account/components/profile-page";

export const Route = createFileRoute("/_shell/profile")({ component: Profile });

function Profile() {
  return <ProfilePage onLanguage={(language) => void switchLanguage(language)} />;
}
