import { createFileRoute } from "@tanstack/react-router";
import { ProfilePage } from "@/features/account/components/profile-page";
import { switchLanguage } from "@/shared/i18n/texts";

export const Route = createFileRoute("/_shell/profile")({ component: Profile });

function Profile() {
  return <ProfilePage onLanguage={(language) => void switchLanguage(language)} />;
}
