// Runs before the first paint, so that neither theme nor language flashes. A file, not inline: no
// content security policy has to allow inline scripts.
(() => {
  const theme = localStorage.getItem("berth.theme");
  const dark =
    theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const language = localStorage.getItem("berth.language") ?? navigator.language;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.documentElement.lang = language.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
})();
