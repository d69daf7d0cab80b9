/** `npm run bench page`: measures the playground's page during an answer of 10,000 deltas. Prints a table. */
import { messagesApi } from "@pawl/testing";
import { startBrowser } from "../support/browser.ts";
import { playgroundProcess } from "../support/playground-process.ts";
import { countRenders, renders, untilSays } from "../support/react-renders.ts";

const DELTAS = 10_000;
// The longest answer that the coach's `maxTokens` allows: short words, and a last one that marks the end.
const text = `${Array.from({ length: DELTAS - 1 }, (_, n) => `ab${n % 15 === 14 ? ".\n\n" : " "}`).join("")}end`;

const api = await messagesApi({ rules: () => ({ text, deltas: DELTAS, delayPerEventMs: 0.01 }) });
const server = await playgroundProcess(api.url);
const browser = await startBrowser();
if (browser === undefined) throw new Error("This needs a browser.");
try {
  await server.start();
  const page = await browser.newPage();
  await countRenders(page);
  await page.goto(server.url);
  await page.getByTestId("composer").fill("Tell me everything");
  await renders(page);
  const began = performance.now();
  await page.keyboard.press("Enter");
  await untilSays(page, "ab end", 120_000);
  const seconds = (performance.now() - began) / 1_000;
  const { commits, byMessage, longTasks } = await renders(page);
  const sum = longTasks.reduce((total, ms) => total + ms, 0);
  console.log(
    "| deltas | seconds | renderings of the active message | commits | long tasks | together | longest |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  const cells = [DELTAS, seconds.toFixed(1), byMessage[1], commits, longTasks.length];
  console.log(`| ${cells.join(" | ")} | ${sum} ms | ${Math.max(0, ...longTasks)} ms |`);
} finally {
  await browser.close();
  await server.remove();
  await api.close();
}
