import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { App as AntApp, ConfigProvider } from "antd";
import enUS from "antd/locale/en_US";
import zhCN from "antd/locale/zh_CN";
import { useState } from "react";
import { useLanguage } from "@/shared/i18n/language";
import { LiveContext } from "@/shared/live/live";
import { LiveSocket } from "@/shared/live/socket";
import { useIsCalm, useIsDark } from "@/shared/theme/preference";
import { themeConfig } from "@/shared/theme/tokens";
import { createQueryClient } from "./query-client";
import { createAppRouter } from "./router";

/** Everything that every page stands on. */
export function App() {
  const isDark = useIsDark();
  const isCalm = useIsCalm();
  const language = useLanguage();
  const [queries] = useState(createQueryClient);
  const [router] = useState(() => createAppRouter(queries));
  const [socket] = useState(() => new LiveSocket());
  return (
    <ConfigProvider
      theme={themeConfig(isDark, isCalm)}
      locale={language === "zh-CN" ? zhCN : enUS}
      button={{ autoInsertSpace: false }}
    >
      <AntApp>
        <QueryClientProvider client={queries}>
          <LiveContext value={socket}>
            <RouterProvider router={router} />
          </LiveContext>
        </QueryClientProvider>
      </AntApp>
    </ConfigProvider>
  );
}
