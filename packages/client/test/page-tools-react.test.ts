import { join } from "node:path";
import { jsonSchema, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import type { Page } from "playwright-core";
import { build, type Rollup } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, startBrowser } from "../../../test/support/browser.ts";
import { type Served, serve } from "./support/clients.ts";

const browser = await startBrowser();
const html = "<!doctype html><title>Hello</title><body><script type=module src=/page.js></script>";
const locate = tool({
  name: "locate",
  description: "Returns where the user is.",
  input: jsonSchema({ type: "object" }),
  runsIn: "client",
  output: jsonSchema<{ city: string }>({ type: "object", required: ["city"] }),
});

async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    root: import.meta.dirname,
    mode: "development",
    define: { "process.env.NODE_ENV": '"development"' },
    resolve: { conditions: ["@pawl/source"] },
    build: {
      write: false,
      minify: false,
      lib: {
        entry: join(import.meta.dirname, "support", "page-tools.page.js"),
        formats: ["es"],
        fileName: "page",
      },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [{ output }] = [built].flat() as [Rollup.RollupOutput];
  return output[0].code;
}

describe.skipIf(browser === undefined)(
  "F12 useAgent({ tools }) in React's strict mode",
  { timeout: 60_000 },
  () => {
    let script: string;
    beforeAll(async () => {
      script = await bundle();
    });
    afterAll(async () => {
      await closePages(browser);
    });

    async function serving(names: readonly string[]): Promise<Served> {
      const calls = names.map((name) => ({ tools: [{ name, input: {} }] }));
      return await serve(scriptedModel([...calls, { text: "Done." }]), {
        tools: [locate],
        clientTools: true,
      });
    }

    /** Opens a page of the server, as a tab beside another one. */
    async function open(served: Served, path: string, beside?: Page): Promise<Page> {
      const context = beside?.context() ?? (await browser?.newContext());
      const page = (await context?.newPage()) as Page;
      await page.route("**/page.html*", (route) => route.fulfill({ contentType: "text/html", body: html }));
      await page.route("**/page.js", (route) =>
        route.fulfill({ contentType: "text/javascript", body: script }),
      );
      await page.goto(new URL(`/page.html${path}`, served.url).href);
      await page.locator("p").waitFor();
      return page;
    }
    const says = async (page: Page, words: string) =>
      await page.getByText(words, { exact: true }).waitFor({ timeout: 10_000 });
    const results = async ({ store }: Served) => {
      const [session] = await store.sessions.list({ userId: "ada" });
      const log = await Array.fromAsync(store.read(session?.id ?? "", { types: ["tool_result"] }));
      return log.map(({ data }) => (data as { result: unknown }).result);
    };

    it("runs declared and offered tools of the latest rendering, each call once", async () => {
      const served = await serving(["locate", "read_page"]);
      const page = await open(served, "");
      await page.evaluate("void agent.send('Go')");
      await says(page, "idle 0 Go|Done.");
      expect(await results(served)).toEqual([{ city: "Bonn 3" }, "Hello"]);
      expect(await page.evaluate("ran")).toEqual([3]);
      await page.close();
    });

    it("runs a call again after a reload, and in another tab once the first one is closed", async () => {
      const served = await serving(["locate"]);
      const page = await open(served, "#wait");
      await page.evaluate("void agent.send('Go')");
      await expect.poll(() => page.evaluate("ran.length")).toBe(1);
      await says(page, "toolExecuting 0 Go|");
      await page.reload();
      await expect.poll(() => page.evaluate("ran.length")).toBe(1);
      const path = await page.evaluate("location.search + location.hash");
      const other = await open(served, path as string, page);
      await says(other, "toolExecuting 0 Go|");
      expect(await other.evaluate("ran")).toEqual([]);
      await page.close();
      await expect.poll(() => other.evaluate("ran.length")).toBe(1);
      await other.evaluate("release()");
      await says(other, "idle 0 Go|Done.");
      expect(await results(served)).toHaveLength(1);
      await other.close();
    });
  },
);
