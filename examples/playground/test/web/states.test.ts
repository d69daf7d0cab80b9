import { join } from "node:path";
import { agent, type Hook, memoryStore, runtime, tool } from "@pawl/core";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { type HandModel, handModel } from "../../../../packages/sse/test/support/hand-model.ts";
import { closePages, openPage, startBrowser } from "../../../../test/support/browser.ts";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { showOptions } from "../../../coach/src/tools/show-options.ts";
import { playgroundApp } from "../../server/app.ts";
import { type Listening, listen } from "../../server/listen.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";

const browser = await startBrowser();
const WAIT = 20_000;
const webDir = join(import.meta.dirname, "..", "..", "dist", "web");

/** Creates a gate. `wait` resolves at the next `open`. */
function gate(): { wait(): Promise<void>; open(): void } {
  let waiting = Promise.withResolvers<void>();
  return {
    wait: () => waiting.promise,
    open: () => {
      waiting.resolve();
      waiting = Promise.withResolvers<void>();
    },
  };
}

interface World {
  page: Page;
  model: HandModel;
  /** Gate that keeps the tool running. */
  tool: ReturnType<typeof gate>;
  /** Gate that keeps a run open after its last turn. */
  end: ReturnType<typeof gate>;
  is(phase: string): Promise<void>;
  say(text: string): Promise<void>;
  at(testId: string): Locator;
  /** Stops the server. `comeBack` starts it again at the same address. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
}

describe.skipIf(browser === undefined)("the page in each state of the client", { timeout: 120_000 }, () => {
  beforeAll(() => {
    checkPageIsBuilt();
  });
  afterAll(async () => await closePages(browser));

  const open = async (phone: boolean): Promise<World> => {
    const model = handModel();
    const [atTool, atEnd] = [gate(), gate()];
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      status: { start: "Looking around", done: "Looked" },
      execute: async () => {
        await atTool.wait();
        return "nothing";
      },
    });
    const slowEnd: Hook = {
      name: "slow-end",
      onStop: async () => {
        await atEnd.wait();
        return undefined;
      },
    };
    const coach = agent({
      name: "coach",
      model,
      instructions: "Be kind.",
      tools: [look, showOptions],
      hooks: [slowEnd],
    });
    const store = memoryStore();
    let pawl = runtime({ agents: [coach], store });
    const info = { model: "by hand", simulated: false };
    const serve = (port: number) =>
      listen(playgroundApp({ runtime: pawl, info, host: "localhost", webDir }), { host: "localhost", port });
    let server: Listening = await serve(0);
    const { page, close } = await openPage(
      browser!,
      phone ? { viewport: { width: 390, height: 740 }, isMobile: true, hasTouch: true } : {},
    );
    onTestFinished(async () => {
      await close();
      await server.close();
    });
    await page.goto(server.url);
    return {
      page,
      model,
      tool: atTool,
      end: atEnd,
      is: async (phase) => await page.locator(`main[data-phase="${phase}"]`).waitFor({ timeout: WAIT }),
      say: async (text) => {
        await page.getByTestId("composer").fill(text);
        await page.keyboard.press("Enter");
      },
      at: (testId) => page.getByTestId(testId),
      leave: async () => await server.close(),
      comeBack: async () => {
        pawl = runtime({ agents: [coach], store });
        server = await serve(Number(new URL(server.url).port));
      },
    };
  };

  it.each([false, true])("K1 K2 K6 from the first word to the last one (phone: %s)", async (phone) => {
    const { page, model, tool, end, is, say, at } = await open(phone);
    const heard = () => at("announcer").textContent();
    const runs = Promise.withResolvers<void>();
    await page.route("**/runs", async (route) => {
      await runs.promise;
      await route.continue();
    });
    await is("idle");

    await say("Good morning");
    await is("submitting");
    expect(await at("message-user").getAttribute("data-sent")).toBe("false");
    await at("working").waitFor({ timeout: WAIT });
    runs.resolve();

    const first = await model.turn();
    first.say("Let me look.");
    await is("streaming");
    await expect.poll(heard, { timeout: WAIT }).toContain("Sage is answering.");
    first.end([{ id: "c1", name: "look", input: {} }]);

    await is("toolExecuting");
    const chip = at("tool-chip");
    expect(await chip.getAttribute("data-phase")).toBe("running");
    expect(await chip.textContent()).toBe("Looking around");
    tool.open();

    const second = await model.turn();
    await is("streaming");
    second.say("All is well.");
    second.end();
    await is("completing");
    expect(await at("stop").count()).toBe(1);
    end.open();

    await is("idle");
    // The tool's line stays long enough to be seen.
    await expect.poll(() => chip.getAttribute("data-phase"), { timeout: WAIT }).toBe("done");
    await expect.poll(heard, { timeout: WAIT }).toContain("All is well.");
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);

    await say("What now?");
    (await model.turn()).end([
      { id: "c2", name: "show_options", input: { question: "Where to?", options: ["a", "b"] } },
    ]);
    await is("suspended");
    await expect.poll(heard, { timeout: WAIT }).toContain("Where to?");
    const group = page.getByRole("group", { name: "Where to?" });
    await group.getByRole("button", { name: "a" }).focus();
    await page.keyboard.press("Enter");
    const third = await model.turn();
    await is("streaming");
    third.say("So be it.");
    third.end();
    end.open();
    await is("completing");
    end.open();
    await is("idle");
  });

  it("K1 K2 shows an error and stops all indicators", async () => {
    expectPrinted("pawl: secret host");
    const { model, end, is, say, at } = await open(false);
    await say("Good morning");
    (await model.turn()).fail(new Error("secret host"));
    setTimeout(end.open, 200);
    await is("error");
    expect(await at("error").textContent()).not.toContain("secret");
    await expect.poll(() => at("working").count(), { timeout: WAIT }).toBe(0);
    expect(await at("stop").count()).toBe(0);
    await say("Once more");
    const again = await model.turn();
    again.say("Here I am.");
    again.end();
    await is("completing");
    end.open();
    await is("idle");
  });

  it("K1 W4 shows when the server is gone and when it is back, while the run continues", async () => {
    const { model, end, is, say, at, leave, comeBack } = await open(false);
    await say("Good morning");
    const turn = await model.turn();
    turn.say("Good ");
    await is("streaming");
    await leave();
    await at("connection").getByText("Reconnecting…").waitFor({ timeout: WAIT });
    // Without the connection, the page keeps what it shows.
    await is("streaming");
    turn.say("morning.");
    turn.end();
    setTimeout(end.open, 300);
    await comeBack();
    await is("idle");
    await expect
      .poll(() => at("message-assistant").textContent(), { timeout: WAIT })
      .toContain("Good morning.");
    expect(await at("connection").getAttribute("data-state")).toBe("open");
  });
});
