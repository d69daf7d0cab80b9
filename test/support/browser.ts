import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** Programs to look for. The first is a browser without windows, in which pages cost half as much. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "msedge",
  "microsoft-edge",
];
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/**
 * Returns the path of an installed Chromium, Chrome or Edge, or of Playwright's own. `PAWL_BROWSER` overrides
 * it.
 */
export function findBrowser(): string | undefined {
  const named = process.env.PAWL_BROWSER;
  const onPath = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((dir) => NAMES.map((name) => join(dir, name)));
  return [named, ...onPath, ...PLACES, chromium.executablePath()].find((path) => path && existsSync(path));
}

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Starts the browser. Without a browser, prints the reason and returns `undefined`, so that tests are
 * skipped. In CI (`CI` is set) it throws instead.
 */
export async function startBrowser(): Promise<Browser | undefined> {
  const executablePath = findBrowser();
  if (executablePath !== undefined) return await chromium.launch({ executablePath, args: FLAGS });
  const reason = "No browser: install Chromium, Chrome or Edge, or set PAWL_BROWSER to its path.";
  if (process.env.CI) throw new Error(reason);
  console.warn(`Browser tests are skipped. ${reason}`);
  return undefined;
}
