// Before the first paint, so that a dark page never flashes white. A file of its own: the page allows no inline script.
const chosen = localStorage.getItem("capstan.theme");
const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset.theme = dark ? "dark" : "light";
