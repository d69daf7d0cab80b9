import { join } from "node:path";
import { memoryFiles, memoryStore, runtime } from "@pawl/core";
import { coach, coachDeps, readMarkdown, userFiles } from "@pawl/example-coach";
import { scriptedModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { closePages, startBrowser } from "../../../test/support/browser.ts";
import { playgroundApp } from "../server/app.ts";
import { listen } from "../server/listen.ts";
import { checkPageIsBuilt } from "./support/built-page.ts";

const browser = await startBrowser();
const WAIT = 20_000;
const webDir = join(import.meta.dirname, "..", "dist", "web");

describe.skipIf(browser === undefined)("a life plan that is to be replaced", { timeout: 60_000 }, () => {
  beforeAll(() => {
    checkPageIsBuilt();
  });
  afterAll(async () => await closePages(browser));

  /** Opens a page. Its user has a life plan, and the coach tries to save another one with every message. */
  const open = async () => {
    const [files, store] = [memoryFiles(), memoryStore()];
    const save = (content: string) => ({
      text: "Here is a new plan.",
      tools: [{ name: "save_file", input: { file_type: "life-plan", content } }],
    });
    const model = scriptedModel([
      save("# First\n\nWrite the book."),
      { text: "Saved." },
      save("# Second\n\nRest first."),
      { text: "Done." },
    ]);
    const agents = [coach({ model })];
    const pawl = runtime({ agents, store, deps: coachDeps({ files, store }) });
    const info = { model: model.id, simulated: false };
    const app = playgroundApp({ runtime: pawl, info, host: "localhost", webDir });
    const server = await listen(app, { host: "localhost", port: 0 });
    const page = await browser!.newPage({ viewport: { width: 1280, height: 800 } });
    onTestFinished(async () => {
      await page.close();
      await server.close();
    });
    await page.goto(server.url);
    const say = async (text: string) => {
      await page.getByTestId("composer").fill(text);
      await page.keyboard.press("Enter");
    };
    await say("A plan, please");
    await page.getByTestId("thread").getByText("Saved.", { exact: true }).waitFor({ timeout: WAIT });
    await say("Another one");
    await page.getByTestId("replace-plan").waitFor({ timeout: WAIT });
    const plan = async () => {
      const [file] = await files.list();
      const user = file?.path.split("/")[0] ?? "";
      return (await readMarkdown(userFiles(files, user), "life-map/life-plan.md"))?.body;
    };
    return { page, plan };
  };

  it("P1 shows the new plan, and replaces the old one after a tap, also after a reload", async () => {
    const { page, plan } = await open();
    await page.reload();
    const question = page.getByTestId("replace-plan");
    await question.waitFor({ timeout: WAIT });
    expect(await question.getByRole("region").textContent()).toContain("Rest first.");
    expect(await plan()).toContain("Write the book.");
    await page.getByTestId("plan-replace").click();
    await page.getByTestId("thread").getByText("Done.", { exact: true }).waitFor({ timeout: WAIT });
    expect(await question.count()).toBe(0);
    expect(await plan()).toContain("Rest first.");
  });

  it("P1 leaves the old plan as it is after the other tap, and says so", async () => {
    const { page, plan } = await open();
    await page.getByTestId("plan-keep").click();
    await page.getByTestId("thread").getByText("Done.", { exact: true }).waitFor({ timeout: WAIT });
    expect(await plan()).toContain("Write the book.");
    expect(await page.getByTestId("tool-chip").last().textContent()).toBe("Life plan: left as it was");
  });
});
