import { existsSync } from "node:fs";
import { join } from "node:path";
import { memoryStore, runtime } from "@pawl/core";
import { COMPANY_NOW, type SearchDeps, searchAgent } from "@pawl/example-enterprise-search";
import { type Reply, scriptedModel, strictModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calls, plans, reviews } from "../examples/enterprise-search/test/support/agent-world.ts";
import { MAIL, smallSearch } from "../examples/enterprise-search/test/support/page-story.ts";
import { tickets } from "../examples/enterprise-search/test/support/tickets-server.ts";
import { playgroundApp } from "../examples/playground/server/app.ts";
import { type Listening, listen } from "../examples/playground/server/listen.ts";
import { searchPeople } from "../examples/playground/server/search-people.ts";
import { closePages, startBrowser } from "./support/browser.ts";
import { Gate } from "./support/model-gate.ts";

const browser = await startBrowser();
const WAIT = { timeout: 20_000 };
const webDir = join(import.meta.dirname, "..", "examples", "playground", "dist", "web");

const ask = { id: "ask", title: "Ask the tickets", agent: "mcp::tickets" };
const mail = { id: "mail", title: "Search the mail instead", tool: "search_gmail" };
const answer = { id: "answer", title: "Answer with citations" };
const asking = (query: string) => calls(["run_custom_agent", { agent_id: "mcp::tickets", query }]);
const turns: Reply[] = [
  ...[asking("The export"), asking("Is it slow?"), asking("Since when?")],
  calls(["search_gmail", { query: "export" }]),
  { text: `The tickets could not be asked. The mail says this: [${MAIL.id}].` },
];

describe.skipIf(browser === undefined)("a connector that is down, in a browser", { timeout: 60_000 }, () => {
  const gate = new Gate();
  let requests = 0;
  let server: Listening;
  const { connector } = tickets({
    onError: () => {},
    answers: () => {
      requests += 1;
      return Promise.reject(new Error("connect ECONNREFUSED 10.0.0.7"));
    },
  });

  beforeAll(async () => {
    if (!existsSync(join(webDir, "index.html"))) throw new Error("The page is not built: npm run build");
    const model = strictModel({
      rules: async ({ messages }) => {
        await gate.pass("turn");
        return turns[messages.filter(({ role }) => role === "assistant").length] as Reply;
      },
    });
    const planner = scriptedModel(
      [
        plans({ tasks: [ask, { ...answer, depends_on: ["ask"] }] }),
        reviews({
          notes: "The tickets are down. Search the mail.",
          tasks: [{ ...ask, status: "blocked" }, mail, { ...answer, depends_on: ["mail"] }],
        }),
        reviews({ notes: "The mail has it." }),
      ],
      { id: "small", forcedToolChoice: true },
    );
    const store = memoryStore();
    const pawl = runtime<SearchDeps>({
      agents: [searchAgent({ model, planner, connectors: [connector], now: () => COMPANY_NOW })],
      store,
      deps: () => ({ search: smallSearch }),
      onError: () => {},
    });
    const none = async () => ({
      status: "error" as const,
      error: { code: "forbidden" as const, message: "" },
    });
    const index = {
      search: smallSearch,
      agents: { list: async () => [], create: none, update: none, remove: none },
      status: () => ({ status: "ready" as const, stage: "ready", done: 1 }),
      start: () => {},
      close: async () => {},
    };
    const app = playgroundApp({
      runtime: pawl,
      agents: [],
      search: { index, people: searchPeople() },
      info: { model: model.id, simulated: true },
      ...{ host: "127.0.0.1", webDir },
    });
    server = await listen(app, { host: "127.0.0.1", port: 0 });
  }, 60_000);
  afterAll(async () => {
    await closePages(browser);
    await server?.close();
    await connector.server.close();
  });

  it("X4 T12 T14 M5 is taken out after three failures, and the page shows the changed plan", async () => {
    const page = await browser!.newPage({ viewport: { width: 1280, height: 900 } });
    page.on("pageerror", (error) => expect.unreachable(`the page threw: ${error.message}`));
    const tasks = async () =>
      await Promise.all(
        (await page.getByTestId("es-task").all()).map(async (one) => {
          const title = await one.textContent();
          const known = [ask, mail, answer].find((of) => title?.includes(of.title));
          return `${known?.id} ${await one.getAttribute("data-state")}`;
        }),
      );
    gate.hold("turn");
    await page.goto(`${server.url}/#search`);
    await page.getByTestId("composer").fill("Is the export slow?");
    await page.keyboard.press("Enter");
    await expect.poll(tasks, WAIT).toEqual(["ask next", "answer waiting"]);
    gate.release("turn");
    await page.getByText("The tickets could not be asked.").first().waitFor(WAIT);
    await page.locator('main[data-phase="idle"]').waitFor(WAIT);
    await expect.poll(tasks, WAIT).toEqual(["ask blocked", "mail done", "answer done"]);
    expect(await page.getByTestId("es-change").allTextContents()).toContain("added by the review");
    expect(await page.getByTestId("es-review").first().textContent()).toContain("The tickets are down.");
    const made = await page.getByTestId("es-call").allTextContents();
    expect(made.filter((one) => one.includes("tickets"))).toHaveLength(3);
    expect(requests).toBeGreaterThanOrEqual(3);
    // The page has the same after a reload, and no address of the server behind.
    await page.reload();
    await expect.poll(tasks, WAIT).toEqual(["ask blocked", "mail done", "answer done"]);
    expect(await page.content()).not.toContain("10.0.0.7");
    if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
    await page.close();
  });
});
