import { join } from "node:path";
import { agent, memoryFiles, memoryStore, runtime } from "@pawl/core";
import { coachDeps } from "@pawl/example-coach";
import { scriptedModel } from "@pawl/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { closePages, startBrowser } from "../../../../test/support/browser.ts";
import { check } from "../../../../test/support/check-box.ts";
import { showPulseCheck } from "../../../coach/src/tools/show-pulse-check.ts";
import { playgroundApp } from "../../server/app.ts";
import { listen } from "../../server/listen.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";

const browser = await startBrowser();
const WAIT = 20_000;
const webDir = join(import.meta.dirname, "..", "..", "dist", "web");

describe.skipIf(browser === undefined)("ratings that are not sent yet", { timeout: 60_000 }, () => {
  beforeAll(() => {
    checkPageIsBuilt();
  });
  afterAll(async () => await closePages(browser));

  /** Opens a page. Its coach asks for a pulse check after every message. */
  const open = async () => {
    let calls = 0;
    const model = scriptedModel(({ messages }) => {
      const last = messages.at(-1)?.content.at(-1);
      if (last?.type === "tool_result") return { text: "Thank you." };
      calls += 1;
      return { tools: [{ name: "show_pulse_check", input: { context: `Check ${calls}` } }] };
    });
    const coach = agent({ name: "coach", model, instructions: "Be kind.", tools: [showPulseCheck] });
    const pawl = runtime({
      agents: [coach],
      store: memoryStore(),
      deps: coachDeps({ files: memoryFiles() }),
    });
    const info = { model: model.id, simulated: false };
    const app = playgroundApp({ runtime: pawl, info, host: "localhost", webDir });
    const server = await listen(app, { host: "localhost", port: 0 });
    const context = await browser!.newContext({ viewport: { width: 390, height: 740 } });
    const page = await context.newPage();
    onTestFinished(async () => {
      await context.close();
      await server.close();
    });
    await page.goto(server.url);
    return { page, context, url: server.url };
  };
  const say = async (page: Page, text: string) => {
    await page.getByTestId("composer").fill(text);
    await page.keyboard.press("Enter");
    await page.getByTestId("pulse-check").waitFor({ timeout: WAIT });
    // The messages move when the status line disappears, and a press on a button then may miss it.
    await page.locator(".thread .working").waitFor({ state: "detached", timeout: WAIT });
  };
  const rate = (page: Page, area: string, value: string) =>
    check(page.getByRole("group", { name: area, exact: true }).getByRole("radio", { name: value }));
  const rated = async (page: Page) => {
    await page.getByTestId("pulse-check").waitFor({ timeout: WAIT });
    const all = await page.getByTestId("pulse-check").getByRole("radio", { checked: true }).all();
    return await Promise.all(all.map((one) => one.getAttribute("aria-label")));
  };
  const kept = (page: Page) => page.evaluate("localStorage.getItem('pawl.coach.pulse') ?? '{}'");
  const done = (page: Page) => page.getByTestId("pulse-result").waitFor({ timeout: WAIT });

  it("K6 survive a reload and a closed tab, separately for each session, until they are sent", async () => {
    const { page, context, url } = await open();
    await say(page, "How am I?");
    await rate(page, "Work", "3, Okay");
    await rate(page, "Health", "5, Thriving");
    await page.reload();
    expect(await rated(page)).toEqual(["3, Okay", "5, Thriving"]);
    const first = page.url();
    await page.getByTestId("pulse-check").getByRole("button", { name: "Clear" }).click();
    expect(await rated(page)).toEqual([]);
    expect(await kept(page)).toBe("{}");
    await rate(page, "Work", "2, Shaky");

    // Another session, in another tab, does not have this draft.
    const other = await context.newPage();
    await other.goto(url);
    await say(other, "And how am I now?");
    expect(await rated(other)).toEqual([]);
    await rate(other, "Money", "4, Good");
    await page.close();
    await other.goto(first);
    await other.reload();
    expect(await rated(other)).toEqual(["2, Shaky"]);

    await other.getByTestId("pulse-submit").click();
    await done(other);
    await expect.poll(() => kept(other), { timeout: WAIT }).not.toContain(new URL(first).hash.slice(3));
    expect(await kept(other)).toContain('{"money":4}');
    await other.reload();
    await done(other);
    await say(other, "Once more");
    expect(await rated(other)).toEqual([]);
  });

  it("K6 are kept when the server refuses them, and deleted when the question is answered otherwise", async () => {
    const { page } = await open();
    await say(page, "How am I?");
    await rate(page, "Work", "3, Okay");
    await page.route("**/runs", (route) => route.fulfill({ status: 500, body: "{}" }));
    await page.getByTestId("pulse-submit").click();
    await page.getByTestId("error").waitFor({ timeout: WAIT });
    await page.unroute("**/runs");
    await page.reload();
    expect(await rated(page)).toEqual(["3, Okay"]);
    await page.getByTestId("composer").fill("I would rather tell you");
    await page.keyboard.press("Enter");
    await done(page);
    await expect.poll(() => kept(page), { timeout: WAIT }).toBe("{}");
  });

  it("send nothing that the check does not ask for, whatever the browser has stored", async () => {
    const { page } = await open();
    await say(page, "How am I?");
    await rate(page, "Work", "3, Okay");
    await page.evaluate(`{
      const [id] = Object.keys(JSON.parse(localStorage.getItem("pawl.coach.pulse")));
      const odd = { work: 9, health: "3", money: 4, fame: 5, toString: 1 };
      localStorage.setItem("pawl.coach.pulse", JSON.stringify({ [id]: odd }));
    }`);
    await page.reload();
    expect(await rated(page)).toEqual(["4, Good"]);
    await page.getByTestId("pulse-submit").click();
    await done(page);
    expect(await page.getByTestId("pulse-result").getByRole("listitem").allTextContents()).toEqual([
      "Moneyis at 4",
    ]);
    for (const broken of ["", "no JSON", "[]", "3", '{"x":3}']) {
      await page.evaluate(`localStorage.setItem("pawl.coach.pulse", ${JSON.stringify(broken)})`);
      await page.reload();
      await done(page);
    }
  });

  it("last as long as the page if the browser's storage is not available", async () => {
    const { page } = await open();
    await page.evaluate("Storage.prototype.setItem = () => { throw new Error('Full.'); }");
    await say(page, "How am I?");
    await rate(page, "Work", "3, Okay");
    await rate(page, "Money", "4, Good");
    expect(await rated(page)).toHaveLength(2);
    await page.getByTestId("pulse-submit").click();
    await done(page);
    expect(await page.getByTestId("pulse-result").getByRole("listitem").count()).toBe(2);
  });
});
