import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { scriptedModel } from "@pawl/testing";
import type { Page } from "playwright-core";
import { build, type Rollup } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, startBrowser } from "../../../../test/support/browser.ts";
import { agUi, aiSdk, native } from "../../src/index.ts";
import { serve } from "../support/served.ts";

const browser = await startBrowser();
const html = "<!doctype html><body><script type=module src=/page.js></script>";

async function bundle(): Promise<string> {
  const entry = join(import.meta.dirname, "..", "support", "cors.page.js");
  const built = await build({
    configFile: false,
    logLevel: "error",
    root: import.meta.dirname,
    resolve: { conditions: ["@pawl/source"] },
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ["es"], fileName: "page" },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [{ output }] = [built].flat() as [Rollup.RollupOutput];
  return output[0].code;
}

/** A server of nothing but the page. */
async function pageServer(script: string): Promise<{ origin: string; server: Server }> {
  const server = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe.skipIf(browser === undefined)("U10 a page of another origin", { timeout: 60_000 }, () => {
  let page: Page;
  let origin: string;
  let server: Server;
  beforeAll(async () => {
    ({ origin, server } = await pageServer(await bundle()));
    page = (await browser?.newPage()) as Page;
    await page.goto(origin);
    await page.waitForFunction("globalThis.run !== undefined");
  }, 60_000);
  afterAll(async () => {
    await closePages(browser);
    server.close();
  });

  const kinds = { native: native(), aiSdk: aiSdk(), agUi: agUi() };
  const run = async (kind: string, cors: object) => {
    const dialect = kinds[kind as keyof typeof kinds] ?? native();
    const served = await serve(scriptedModel([{ text: "Hello." }]), { dialect, ...cors });
    return await page.evaluate(`run(${JSON.stringify(kind)}, ${JSON.stringify(served.url)})`);
  };

  it.each(Object.keys(kinds))("can use an agent that allows its origin: %s", async (kind) => {
    expect(await run(kind, { cors: { origins: [origin] } })).toMatch(/^Hello\./);
  });

  it.each(Object.keys(kinds))("can use no other agent: %s", async (kind) => {
    for (const cors of [{}, { cors: { origins: ["https://app.example.com"] } }])
      expect(await run(kind, cors)).toMatch(/^(failed: |network$)/);
  });

  it("learns which session began, and why a request was refused", async () => {
    expect(await run("native", { cors: { origins: [origin] } })).toBe("Hello. true");
    expect(await run("refused", { cors: { origins: [origin] } })).toBe("401 unauthorized");
  });
});
