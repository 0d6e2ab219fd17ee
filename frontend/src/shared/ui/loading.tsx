import { Skeleton } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

const PATIENCE_MS = 300;

/** A skeleton, but only for waits that a reader notices. */
export function Loading({ rows = 4 }: { rows?: number }) {
  const { t } = useTranslation("ui");
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label={t("loading")}>
      {isSlow && <Skeleton active title={false} paragraph={{ rows }} />}
    </div>
  );
}
