// Runs before the first paint, so that neither theme nor language flashes. A file, not inline: no
// content security policy has to allow inline scripts.
(() => {
  const theme = localStorage.getItem("berth.theme");
  const dark =
    theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const language = localStorage.getItem("berth.language") ?? navigator.language;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.documentElement.lang = language.toLowerCase().startsWith("zh") ? "zh-CN" : "en";

  // Without its code the page stays empty. The network may have changed, or the server restarts:
  // load the page again as soon as it can be had.
  const AGAIN_MS = 3_000;
  const isEmpty = () => !document.getElementById("root")?.hasChildNodes();
  const startAgain = async () => {
    if (!isEmpty()) return;
    const page = await fetch(location.href, { method: "HEAD" }).catch(() => null);
    if (page?.ok) location.reload();
    else afterFault();
  };
  const afterFault = () => setTimeout(startAgain, AGAIN_MS);
  const isOfCode = (target) => target === window || target instanceof HTMLScriptElement;
  addEventListener("error", ({ target }) => isOfCode(target) && afterFault(), { capture: true });
  addEventListener("unhandledrejection", afterFault);
})();
