import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/app";
import { startClock } from "@/shared/i18n/clock";
import { startTexts } from "@/shared/i18n/texts";
import "@/app/app.css";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

startClock();
// Not awaited: the chunk with the texts may need this one, which would then wait for itself for ever.
void startTexts().then(() =>
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);
