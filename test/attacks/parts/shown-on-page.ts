import { existsSync } from "node:fs";
import { agent, memoryFiles, memoryStore, runtime } from "@pawl/core";
import { coachDeps } from "@pawl/example-coach";
import { type Reply, scriptedModel } from "@pawl/testing";
import { chromium } from "playwright-core";
import { playgroundApp } from "../../../examples/playground/server/app.ts";
import { listen } from "../../../examples/playground/server/listen.ts";
import { findBrowser } from "../../support/browser.ts";
import { brokenByAny, brokenIf, NotTried } from "../frame/attack.ts";

const WEB = new URL("../../../examples/playground/dist/web", import.meta.url).pathname;
const LAST = "These words come last.";

/**
 * Has the playground's page show each of these answers, and one that follows it, live and after a reload.
 * Broken for each after which the page does not show the last words.
 */
export async function shownOnPage(answers: Readonly<Record<string, Reply>>): Promise<string> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new NotTried("no Chromium, Chrome or Edge is installed");
  if (!existsSync(`${WEB}/index.html`)) throw new NotTried("the page is not built: npm run build");
  // The user's message is the name of the answer. What follows a call, or another message, is the last words.
  const model = scriptedModel(({ messages }) => {
    const said = messages.at(-1)?.content.at(-1);
    const answer =
      said?.type === "text" ? new Map(Object.entries(answers)).get(String(said.text)) : undefined;
    return answer ?? { text: LAST };
  });
  const files = memoryFiles();
  const coach = agent({ name: "coach", model, instructions: "Be kind." });
  const pawl = runtime({ agents: [coach], store: memoryStore(), deps: coachDeps({ files }) });
  const info = { model: model.id, simulated: false };
  const app = playgroundApp({
    runtime: pawl,
    agents: ["coach"],
    files,
    info,
    host: "localhost",
    webDir: WEB,
  });
  const server = await listen(app, { host: "localhost", port: 0 });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const shown = async (name: string) => {
    const page = await browser.newPage();
    const sees = () =>
      page
        .getByText(LAST)
        .first()
        .waitFor({ timeout: 20_000 })
        .then(
          () => true,
          () => false,
        );
    await page.goto(`${server.url}/`);
    for (const words of [name, "And then?"]) {
      await page.getByTestId("composer").fill(words);
      await page.keyboard.press("Enter");
      await page.locator('main[data-phase="idle"]').waitFor({ timeout: 20_000 });
    }
    const live = await sees();
    await page.reload();
    const later = await sees();
    await page.close();
    return brokenIf(!live || !later, `the last words are shown live: ${live}, after a reload: ${later}`);
  };
  try {
    const cases = Object.keys(answers).map((name) => [name, () => shown(name)] as const);
    return await brokenByAny(Object.fromEntries(cases));
  } finally {
    await browser.close();
    await server.close();
  }
}
