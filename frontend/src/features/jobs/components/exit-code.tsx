import { useTranslation } from "react-i18next";
import { exitMeaning } from "@/shared/workload/model/reasons";

/** An exit code together with what it usually means. */
export function ExitCode({ code }: { code: number }) {
  const { t } = useTranslation(["jobs", "workload"]);
  return (
    <span data-testid="exit-code" className="num">
      {t("exitCode", { code, meaning: t(`workload:exit.${exitMeaning(code)}`) })}
    </span>
  );
}
