import { coachRules } from "@pawl/example-coach";
import { type MessagesApi, messagesApi } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { closePages, openPage, startBrowser } from "../../../../test/support/browser.ts";
import { type PlaygroundProcess, playgroundProcess } from "../../../../test/support/playground-process.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";

const browser = await startBrowser();
const WAIT = 20_000;

describe.skipIf(browser === undefined)("the playground's page", { timeout: 120_000 }, () => {
  let api: MessagesApi;
  let server: PlaygroundProcess;

  const open = async (phone = false) => {
    const { page, close } = await openPage(
      browser!,
      phone ? { viewport: { width: 390, height: 740 }, isMobile: true, hasTouch: true } : {},
    );
    await page.goto(server.url);
    await page.getByTestId("starter").first().waitFor({ timeout: WAIT });
    return {
      page,
      say: async (text: string) => {
        await page.getByTestId("composer").fill(text);
        await page.keyboard.press("Enter");
      },
      started: () => page.getByTestId("stop").waitFor({ timeout: WAIT }),
      // The messages move when the status line disappears, and a press on a button then may miss it.
      idle: async () => {
        for (const gone of [page.getByTestId("stop"), page.locator(".thread .working")])
          await gone.waitFor({ state: "detached", timeout: WAIT });
      },
      focus: () => page.evaluate("document.activeElement.dataset.testid ?? ''"),
      close,
    };
  };

  beforeAll(async () => {
    checkPageIsBuilt();
    const rules = coachRules({ speed: 2 });
    api = await messagesApi({
      rules: async (request, context) => {
        const last = JSON.stringify(request.messages.at(-1));
        if (last.includes("refuse this")) return { fault: { status: 400, message: "no" } };
        const reply = await rules(request, context);
        return last.includes("slowly") ? { ...reply, delayPerEventMs: 100 } : reply;
      },
    });
    server = await playgroundProcess(api.url);
    await server.start();
  }, 60_000);
  afterAll(async () => {
    await closePages(browser);
    await server?.remove();
    await api?.close();
  });

  it("returns the focus to the composer after Stop and New conversation, and stops on Escape", async () => {
    const { page, say, started, idle, focus, close } = await open();
    await say("Tell me everything about a whole week");
    await started();
    await page.keyboard.press("Tab");
    await expect.poll(focus).toBe("stop");
    await page.keyboard.press("Enter");
    await idle();
    await expect.poll(focus).toBe("composer");
    await say("Tell me everything about a whole week");
    await started();
    await page.keyboard.press("Escape");
    await idle();
    expect(await page.getByTestId("notice").count()).toBe(2);
    await page.getByTestId("new-conversation").focus();
    await page.keyboard.press("Enter");
    await expect.poll(focus).toBe("composer");
    await close();
  });

  it("K1 offers to answer again after Stop, without sending the message again", async () => {
    const { page, say, started, idle, focus, close } = await open();
    const again = page.getByTestId("again");
    await say("Tell me slowly of a whole week");
    await started();
    expect(await again.count()).toBe(0);
    await page.getByTestId("stop").click();
    await idle();
    await again.click({ timeout: WAIT });
    await started();
    await expect.poll(focus).toBe("composer");
    await page.getByTestId("stop").click();
    await again.waitFor({ timeout: WAIT });
    expect(await page.getByTestId("message-user").count()).toBe(1);
    await say("Good morning");
    await again.waitFor({ state: "detached", timeout: WAIT });
    await close();
  });

  it("K6 opens a new conversation also if the last one gets its id in the same moment", async () => {
    const page = await browser!.newPage();
    onTestFinished(() => page.close());
    // The event of a change of the address comes later than on a machine that is idle.
    await page.addInitScript(`
      const events = Promise.withResolvers();
      window.deliver = events.resolve;
      const listen = window.addEventListener.bind(window);
      window.addEventListener = (type, listener, ...more) =>
        listen(type, type === "hashchange" ? () => events.promise.then(listener) : listener, ...more);
    `);
    const answered = Promise.withResolvers<void>();
    await page.route("**/api/coach/runs", async (route) => {
      await answered.promise;
      await route.continue();
    });
    await page.goto(server.url);
    await page.getByTestId("starter").first().click({ timeout: WAIT });
    await page.getByTestId("message-user").waitFor({ timeout: WAIT });
    await page.evaluate(`location.href = "#"`);
    answered.resolve();
    await page.getByTestId("message-assistant").waitFor({ timeout: WAIT });
    await page.evaluate("deliver()");
    await page.getByTestId("display-name").waitFor({ timeout: WAIT });
    expect(new URL(page.url()).hash).toBe("");
  });

  it.each([390, 1280])("shows the whole label of a conversation, %d wide", async (width) => {
    const { page, close } = await openPage(browser!, { viewport: { width, height: 740 } });
    // The note that the coach is simulated takes most room beside the label.
    await page.route("**/api/info", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), simulated: true } });
    });
    await page.goto(server.url);
    await page.getByRole("radio", { name: "Weekly check-in" }).check({ force: true, timeout: WAIT });
    await page.getByTestId("starter").first().click();
    const label = page.getByTestId("session-label").locator("span");
    await label.waitFor({ timeout: WAIT });
    expect(await label.textContent()).toBe("Weekly check-in");
    const cut = `[...document.querySelectorAll("[data-testid=session-label] span, [data-testid=banner]")]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent)`;
    expect(await page.evaluate(cut)).toEqual([]);
    await close();
  });

  it("X1 C9 sends the user's name, and keeps it for the next visit", async () => {
    const { page, close } = await open();
    await page.getByTestId("display-name").fill("Ada");
    const sent = page.waitForRequest((request) => request.url().endsWith("/api/coach/runs"));
    await page.getByTestId("starter").first().click();
    expect((await sent).postDataJSON()).toMatchObject({ displayName: "Ada" });
    // The page's address gets the session's id as soon as the server has one, so it must be there before the visit.
    await page.waitForURL(/#.+/, { timeout: WAIT });
    await page.goto(server.url);
    await expect.poll(() => page.getByTestId("display-name").inputValue(), { timeout: WAIT }).toBe("Ada");
    await close();
  });

  it("keeps the keyboard of a phone down while somebody taps", async () => {
    const { page, idle, focus, close } = await open(true);
    await page.getByTestId("starter").first().tap();
    await page.getByTestId("option-pill").first().waitFor({ timeout: WAIT });
    expect(await focus()).toBe("");
    await page.getByTestId("option-pill").first().tap();
    await page.getByTestId("choice").waitFor({ timeout: WAIT });
    await idle();
    expect(await focus()).toBe("");
    await close();
  });

  it("keeps an answered question above the answer, and announces both without Markdown", async () => {
    const { page, say, idle, close } = await open();
    await say("Good morning");
    await page.getByTestId("option-pill").first().click({ timeout: WAIT });
    await page.getByTestId("choice").waitFor({ timeout: WAIT });
    await idle();
    expect(await page.getByTestId("question").allTextContents()).toEqual(["Where shall we start?"]);
    expect(await page.getByTestId("choice").textContent()).toBe("You chose: Plan my day");
    const heard = page.getByTestId("announcer");
    await expect.poll(() => heard.textContent()).toContain("what is on for today?");
    expect(await heard.textContent()).not.toMatch(/\*|Good morning/);
    await close();
  });

  it("shows a failed run once, and retries without sending the message again", async () => {
    const { page, say, close } = await open();
    await say("Please refuse this");
    await page.getByTestId("error").waitFor({ timeout: WAIT });
    expect(await page.getByText("set up wrong on our side").count()).toBe(1);
    await page.getByTestId("retry").click();
    await expect.poll(() => page.getByTestId("message-user").count(), { timeout: WAIT }).toBe(2);
    expect(await page.getByTestId("message-user").allTextContents()).toEqual([
      "You: Please refuse this",
      "You: Please try again.",
    ]);
    await close();
  });

  it("turns its wheel while the model writes a tool's input", async () => {
    const { page, say, close } = await open();
    await page.getByTestId("log-toggle").click();
    const watched = page.evaluate(`new Promise((resolve) => {
      const look = () => {
        if (document.querySelector("[data-testid=tool-chip]") !== null) return resolve(false);
        const live = document.querySelector("[data-testid=log-live]").textContent;
        const works = document.querySelector("[data-testid=working]") !== null;
        if (live.includes("tool_input") && works) return resolve(true);
        requestAnimationFrame(look);
      };
      look();
    })`);
    await say("Help me plan today: write slowly, call Mum, go for a run");
    const seen = await watched;
    expect(seen).toBe(true);
    await close();
  });
});
