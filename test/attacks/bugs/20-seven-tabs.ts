import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scriptedModel } from "@pawl/testing";
import type { Browser } from "playwright-core";
import { build, type Rollup } from "vite";
import { startBrowser } from "../../support/browser.ts";
import { pause } from "../../support/pause.ts";
import { type Attack, NotTried } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { comesAbout, serve } from "../parts/serve.ts";

/** A page's script with a client of the session in its address, as `globalThis.client`. */
async function script(folder: string): Promise<string> {
  const entry = join(mkdtempSync(join(folder, "page-")), "main.ts");
  const client = JSON.stringify(new URL("../../../packages/client/src/index.ts", import.meta.url).pathname);
  writeFileSync(
    entry,
    `import { createAgentClient } from ${client};
    globalThis.client = createAgentClient({ url: "/api", sessionId: new URL(location.href).searchParams.get("s") });`,
  );
  const lib = { entry, formats: ["es" as const], fileName: "page" };
  const options = { configFile: false as const, logLevel: "error" as const, root: folder };
  const resolve = { conditions: ["@pawl/source"] };
  const rolldownOptions = { output: { codeSplitting: false } };
  const built = await build({
    ...options,
    resolve,
    build: { write: false, target: "esnext", lib, rolldownOptions },
  });
  const [{ output }] = [built].flat() as [Rollup.RollupOutput];
  return output[0].code;
}

/** Resolves to whether something succeeds within a time, in milliseconds. `false` is no success. */
async function isDone(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = pause(ms, "a tab without a connection never answers").then(() => false);
  const done = work.then(
    (value) => value !== false,
    () => false,
  );
  return await Promise.race([done, late]);
}

const HTML = "<!doctype html><body><script type=module src=/page.js></script>";

async function openTabs(browser: Browser, folder: string): Promise<string[]> {
  const pages = { "/page.html": HTML, "/page.js": await script(folder) } as const;
  const served = await serve(
    scriptedModel(() => ({ text: "Hello." })),
    { basePath: "/api", pages },
  );
  const context = await browser.newContext();
  const seen: string[] = [];
  for (let tab = 1; tab <= 7; tab += 1) {
    const { sessionId } = await served.runtime.run("coach", { userId: "ada", input: "first" }).result;
    const page = await context.newPage();
    // The first five have a connection to spare, and wait for a busy machine only.
    const ms = tab <= 5 ? 20_000 : 5_000;
    const isLoaded = await isDone(page.goto(`${served.url}/page.html?s=${sessionId}`), ms);
    const shown = "globalThis.client?.getState().messages.length";
    const isShown = async () => (await page.evaluate(shown)) === 2;
    // Its stream begins once the session is shown.
    if (isLoaded && (await comesAbout(isShown, ms)))
      await pause(500, "so that the tab follows its session before the next one opens");
    const isSent = isLoaded && (await isDone(page.evaluate("globalThis.client.send('hi')"), ms));
    if (!isSent && tab <= 5) throw new Error(`Tab ${tab} cannot send.`);
    if (!isSent) seen.push(`tab ${tab} ${isLoaded ? "cannot send" : "does not load"}`);
  }
  return seen;
}

export const attack: Attack = {
  id: "bugs-20",
  title: "Over HTTP/1.1, the sixth tab of a browser cannot send, and the seventh does not load",
  state: "held",
  guard: {
    file: "packages/client/test/tabs.test.ts",
    title: "B5 K1 four keep a stream, the others look now and then, and one gets a place that is free",
  },
  limits: { ms: 180_000 },
  attempt: async ({ folder }) => {
    const browser = await startBrowser();
    if (browser === undefined) throw new NotTried("there is no browser");
    const seen = await openTabs(browser, folder);
    await browser.close();
    return mustHold(seen.length === 0, seen.join(", "));
  },
};
