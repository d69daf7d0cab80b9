import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

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

/** The browser of this process. A start costs as much as a page, so the test files of a process share it. */
let shared: Promise<Browser> | undefined;

/**
 * Starts the browser, or returns the one that an earlier test file of this process started. It ends with the
 * process; a file ends its pages with `closePages`. Without a browser, prints the reason and returns
 * `undefined`, so that tests are skipped. In CI (`CI` is set) it throws instead.
 */
export async function startBrowser(): Promise<Browser | undefined> {
  const executablePath = findBrowser();
  if (executablePath !== undefined) {
    // One that did not start, or crashed, is of no use to the next file.
    if (!(await shared?.catch(() => undefined))?.isConnected())
      shared = chromium.launch({ executablePath, args: FLAGS });
    return await shared;
  }
  const reason = "No browser: install Chromium, Chrome or Edge, or set PAWL_BROWSER to its path.";
  if (process.env.CI) throw new Error(reason);
  console.warn(`Browser tests are skipped. ${reason}`);
  return undefined;
}

/** A page that a test has to itself until it closes it. */
export interface TakenPage {
  page: Page;
  close(): Promise<void>;
}

/** Pages that tests have closed, by the options of their contexts. */
const closed = new Map<string, Page[]>();

/**
 * Opens a page of a new user: without cookies, stored values, routes and listeners. It may be the page that
 * an earlier test of the file closed, because a new one costs a process of the browser. So open one with
 * `newContext()` for a test that adds scripts or functions to it, which nothing removes.
 */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<TakenPage> {
  const { viewport = { width: 1280, height: 720 }, colorScheme, reducedMotion, ...rest } = options;
  const key = JSON.stringify(rest);
  const page = closed.get(key)?.pop() ?? (await (await browser.newContext(rest)).newPage());
  if (viewport !== null) await page.setViewportSize(viewport);
  // As in a new context. Without a scheme, a page would follow the machine's.
  await page.emulateMedia({ colorScheme: colorScheme ?? "light", reducedMotion: reducedMotion ?? null });
  const close = async () => {
    // After a failed test it may be on no page, or its server may be gone. That must not hide why the test failed.
    const isEmpty = await empty(page).then(
      () => true,
      () => false,
    );
    if (isEmpty) closed.set(key, [...(closed.get(key) ?? []), page]);
    else await page.context().close();
  };
  return { page, close };
}

const EVENTS = [
  ...(["console", "dialog", "framenavigated", "pageerror", "popup", "websocket"] as const),
  ...(["request", "requestfailed", "requestfinished", "response"] as const),
];

async function empty(page: Page): Promise<void> {
  const context = page.context();
  await Promise.all(context.pages().map((other) => other !== page && other.close()));
  for (const event of EVENTS) page.removeAllListeners(event);
  await Promise.all([page.unrouteAll({ behavior: "ignoreErrors" }), context.unrouteAll()]);
  // An empty document of the same origin: the browser gives another origin another process.
  const nowhere = new URL("/nowhere", page.url()).href;
  await page.route(nowhere, (route) => route.fulfill({ contentType: "text/html", body: "" }));
  await page.goto(nowhere);
  await page.evaluate("localStorage.clear(); sessionStorage.clear()");
  await page.unroute(nowhere);
  await page.emulateMedia({ media: null, contrast: null, forcedColors: null });
  await Promise.all([context.clearCookies(), context.clearPermissions(), context.setOffline(false)]);
}

/** Closes all pages and contexts of the browser, which stays for the next test file. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  closed.clear();
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}
