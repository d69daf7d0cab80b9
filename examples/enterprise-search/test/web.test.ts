import type { Json } from "@pawl/core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, openPage, startBrowser } from "../../../test/support/browser.ts";
import { frames } from "../../../test/support/frames.ts";
import type { Shown } from "../web/gallery/shown.ts";
import { rivera } from "./support/agent-world.ts";
import { type Gallery, openGallery, TOO_WIDE } from "./support/page-gallery.ts";
import {
  ALEX_RIVERA,
  ANSWERS,
  BEGIN,
  CHAT,
  ended,
  eventsOf,
  hitOf,
  MAIL,
  planned,
  result,
  said,
  storyOf,
  task,
  turn,
} from "./support/page-story.ts";

const browser = await startBrowser();
const WAIT = 20_000;

describe.skipIf(browser === undefined)("the search agent's parts of a page", { timeout: 60_000 }, () => {
  let gallery: Gallery;
  let story: Awaited<ReturnType<typeof storyOf>>;
  beforeAll(async () => {
    [gallery, story] = await Promise.all([openGallery(), storyOf()]);
  }, 120_000);
  afterAll(async () => {
    await closePages(browser);
    await gallery.close();
  });

  /** Opens the gallery, and fails if the page reports an error or scrolls sideways. */
  const withPage = async (
    what: Partial<Shown>,
    work: (page: Page) => Promise<void>,
    options: Parameters<typeof openPage>[1] = {},
  ) => {
    gallery.shown = { events: [], writing: "", answers: ANSWERS, ...what };
    gallery.requests.length = 0;
    const { page, close } = await openPage(browser!, { viewport: { width: 1280, height: 900 }, ...options });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("dialog", (dialog) => {
      problems.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(gallery.url);
    await page.getByTestId("composer").waitFor({ timeout: WAIT });
    await work(page);
    const wide = await page.evaluate(TOO_WIDE);
    expect([problems, wide]).toEqual([[], []]);
    await close();
  };
  const change = async (page: Page, what: Partial<Shown>) => {
    gallery.shown = { ...gallery.shown, ...what };
    await page.evaluate("dispatchEvent(new Event('shown'))");
  };
  const texts = (page: Page, id: string) => page.getByTestId(id).allTextContents();
  const sent = (page: Page) => page.getByTestId("sent").textContent();
  const focused = (page: Page) =>
    page.evaluate("document.activeElement.dataset.cite ?? document.activeElement.dataset.testid ?? ''");
  const stateOfTasks = async (page: Page) =>
    await Promise.all((await page.getByTestId("es-task").all()).map((one) => one.getAttribute("data-state")));

  it("X4 M1 ticks off the plan while calls run, and nothing that is shown moves", async () => {
    const { answered } = story;
    const from = answered.findLastIndex(
      ({ type, data }) => type === ("planning.plan" as never) && (data as { by?: string }).by === "planner",
    );
    await withPage({ events: answered.slice(0, from + 1) }, async (page) => {
      const tasks = page.getByTestId("es-task");
      await tasks.first().waitFor({ timeout: WAIT });
      expect(await stateOfTasks(page)).toEqual(["next", "next", "waiting"]);
      expect(await tasks.nth(2).textContent()).toContain("after 1 and 2");
      const places = async () => await Promise.all((await tasks.all()).map((one) => one.boundingBox()));
      const before = await places();
      const seen = new Set<string>();
      for (let count = from + 2; count <= answered.length; count += 1) {
        await change(page, { events: answered.slice(0, count) });
        await frames(page);
        seen.add((await stateOfTasks(page)).join(" "));
        expect(await places()).toEqual(before);
      }
      await expect.poll(() => stateOfTasks(page)).toEqual(["done", "done", "done"]);
      expect([...seen]).toEqual(expect.arrayContaining(["running running waiting", "done done running"]));
      expect(await page.getByTestId("es-review").textContent()).toContain("Both have answers.");
    });
  });

  it("X4 M5 shows what the reviewer has changed, and what is blocked", async () => {
    const blocked = task("b", { status: "blocked", note: "Slack is down" });
    const after = [task("a", { status: "done" }), blocked, task("d", { title: "Search files" })];
    const events = eventsOf(
      ...BEGIN,
      planned([task("a"), task("b"), task("c")]),
      planned(after, "reviewer"),
      said("Partly."),
    );
    await withPage({ events }, async (page) => {
      await page.getByTestId("es-task").first().waitFor({ timeout: WAIT });
      expect(await stateOfTasks(page)).toEqual(["done", "blocked", "running", "removed"]);
      expect(await texts(page, "es-change")).toEqual([
        "changed by the review",
        "added by the review",
        "removed by the review",
      ]);
      expect(await page.getByTestId("es-task").nth(1).textContent()).toContain("Slack is down");
    });
  });

  it("X4 M2 asks with people and keys: arrows and numbers move, Enter takes one", async () => {
    await withPage({ events: story.asked }, async (page) => {
      const choices = page.getByTestId("es-choice");
      await choices.first().waitFor({ timeout: WAIT });
      expect(await choices.nth(1).textContent()).toBe(
        "ARAlex RiveraManager · Enterprise, SalesLast mail: Where the Q4 pipeline stands · 18 Nov 20262",
      );
      await expect.poll(() => focused(page)).toBe("es-choice");
      const at = () => page.evaluate("document.activeElement.textContent.at(-1)");
      await page.keyboard.press("ArrowDown");
      expect(await at()).toBe("2");
      await page.keyboard.press("1");
      expect(await at()).toBe("1");
      await page.keyboard.press("0");
      expect(await focused(page)).toBe("es-none");
      await page.keyboard.press("ArrowDown");
      expect(await focused(page)).toBe("es-own");
      await page.keyboard.type("2 of them");
      expect(await page.getByTestId("es-own").inputValue()).toBe("2 of them");
      expect(await sent(page)).toBe("");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("2");
      await page.keyboard.press("Enter");
      await expect.poll(() => sent(page)).toBe(JSON.stringify({ choice: rivera.email }));
    });
    for (const [id, value] of [
      ["es-none", { none: true }],
      ["es-own", { text: "The one in Sales" }],
    ] as const)
      await withPage({ events: story.asked }, async (page) => {
        await page.getByTestId(id).waitFor({ timeout: WAIT });
        if (id === "es-none") await page.getByTestId(id).click();
        else {
          await page.getByTestId(id).fill("  The one in Sales ");
          await page.keyboard.press("Enter");
        }
        await expect.poll(() => sent(page)).toBe(JSON.stringify(value));
      });
  });

  it("X4 opens a citation beside the answer by keys, follows its links, and returns the focus", async () => {
    await withPage({ events: story.answered }, async (page) => {
      await page.getByTestId("es-sources").waitFor({ timeout: WAIT });
      expect(await texts(page, "es-cite")).toEqual(["1", "2"]);
      expect(await page.getByTestId("es-cite").first().getAttribute("aria-label")).toBe(
        "Source 1: Where the Q4 pipeline stands, Alex Rivera, 18 Nov 2026",
      );
      await page.keyboard.press("/");
      expect(await focused(page)).toBe("composer");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      expect(await focused(page)).toBe(MAIL.id);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      const view = page.getByTestId("es-view-text");
      await view.waitFor({ timeout: WAIT });
      expect(await view.locator("mark").allTextContents()).toEqual(["Q4"]);
      expect(gallery.requests).toContain(`GET /documents/${MAIL.id}?words=q4`);
      await expect.poll(() => focused(page)).toBe("es-view");
      await page.getByTestId("es-related-row").click();
      await expect.poll(() => page.getByTestId("es-view-title").textContent()).toBe("#sales");
      await page.getByTestId("es-back").click();
      await expect.poll(() => page.getByTestId("es-view-title").textContent()).toBe(MAIL.title);
      await page.keyboard.press("Escape");
      await expect.poll(() => focused(page)).toBe(MAIL.id);
      expect(await page.getByTestId("es-panel").isVisible()).toBe(true);
    });
  });

  it("X4 says that a person may not see a document, and asks again for another person", async () => {
    const answers = { ...ANSWERS };
    delete answers[`/documents/${MAIL.id}`];
    await withPage({ events: story.answered, answers }, async (page) => {
      await page.getByTestId("es-source-row").first().click();
      await expect
        .poll(() => texts(page, "es-not-found"))
        .toEqual([expect.stringContaining("Alex Chen cannot open this document")]);
      gallery.shown.answers = ANSWERS;
      gallery.slowMs = 200;
      await page.getByTestId("es-person-select").selectOption(ALEX_RIVERA.email);
      await page.getByTestId("es-view-text").waitFor({ timeout: WAIT });
      gallery.slowMs = 0;
      // Not before the server knows the new person: it would answer for the one before.
      const [read, changed] = [`GET /documents/${MAIL.id}?words=q4`, "PUT /me answered"];
      expect(gallery.requests.filter((one) => one === read || one === changed)).toEqual([
        read,
        changed,
        read,
      ]);
      expect(gallery.requests).toContain(`PUT /me ${JSON.stringify({ email: ALEX_RIVERA.email })}`);
      // An answer that is not whole changes nothing.
      gallery.shown.answers = { ...ANSWERS, "/me": {}, [`/documents/${CHAT.id}`]: {} };
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await page.getByTestId("es-source-row").nth(1).click();
      await page.getByText("could not be opened").waitFor({ timeout: WAIT });
      expect(await page.getByTestId("es-person").textContent()).toContain("Alex Rivera");
      gallery.shown.answers = ANSWERS;
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByTestId("es-view-text").waitFor({ timeout: WAIT });
    });
  });

  it("X4 shows the index's progress, keeps messages until it is ready, and can try again", async () => {
    const index = (state: Json) => {
      gallery.shown.answers = { ...ANSWERS, "/index": state };
    };
    await withPage({ answers: { ...ANSWERS, "/index": { status: "none" } } }, async (page) => {
      await page.getByTestId("es-index").waitFor({ timeout: WAIT });
      expect(gallery.requests).toContain("POST /index");
      index({ status: "building", stage: "documents", done: 0.42 });
      await expect
        .poll(() => texts(page, "es-index"))
        .toEqual([expect.stringContaining("Storing the documents… 42%")]);
      for (const text of ["What does Alex say?", "And Robin?"]) {
        await page.getByTestId("composer").fill(text);
        await page.getByTestId("composer").press("Enter");
        expect((await texts(page, "es-queued")).at(-1)).toContain(`when the index is ready: “${text}”`);
      }
      // The server does not answer.
      gallery.shown.answers = { ...ANSWERS, "/index": "down" };
      await page.getByTestId("es-index").getByText("Reconnecting…").waitFor({ timeout: 3_000 });
      index({ status: "failed", error: "Another process uses the index." });
      await page.getByTestId("es-index-again").waitFor({ timeout: WAIT });
      expect(await page.getByTestId("es-index").textContent()).toContain("Another process uses the index.");
      expect(await sent(page)).toBe("");
      // A reload does not lose what waits.
      await page.reload();
      await page.getByTestId("es-queued").getByText("What does Alex say?").waitFor({ timeout: WAIT });
      await page.getByTestId("es-index-again").click();
      await expect.poll(() => gallery.requests.filter((one) => one === "POST /index").length).toBe(2);
      index({ status: "ready", done: 1 });
      await expect.poll(() => sent(page), { timeout: WAIT }).toBe("What does Alex say?\nAnd Robin?");
      await page.getByTestId("es-person").waitFor({ timeout: WAIT });
      expect(await page.getByTestId("es-index").count()).toBe(0);
    });
  });

  it("X4 M4 T9 shows calls in numbers, descriptions with their reasons, and the run as a tree", async () => {
    await withPage({ events: story.answered }, async (page) => {
      const table = page.getByTestId("es-calls");
      await table.waitFor({ timeout: WAIT });
      expect(await table.locator("thead th").allTextContents()).toEqual([
        "Call",
        "Time",
        "Cost",
        "Results",
        "Tokens",
      ]);
      expect(await texts(page, "es-call")).toEqual([
        expect.stringMatching(/^Search the mailMail$/),
        expect.stringMatching(/^Search SlackSlack$/),
        expect.stringContaining("Plan and review × 3"),
        expect.stringContaining("Answer × 2"),
      ]);
      expect(await table.locator("tfoot").textContent()).toMatch(/^Total[\d.]+ m?s\$0\.00092[\d,]+$/);
      await page.getByTestId("es-fold-docs").locator("summary").click();
      expect(await texts(page, "es-doc-chosen")).toContainEqual(
        expect.stringContaining("search_gmailis in the plan"),
      );
      expect((await texts(page, "es-doc-left")).length).toBeGreaterThan(0);
      await page.getByTestId("es-fold-context").locator("summary").first().click();
      const calledNode = page.getByTestId("es-tree").getByText("Calls 2");
      await calledNode.click();
      await page.getByText("1. Search the mail").click();
      await expect.poll(() => page.getByTestId("es-tree").textContent()).toContain("connector gmail");
    });
  });

  it("X4 M6 ends in words: blocked, out of turns, and not understood", async () => {
    const plan = planned([task("a", { status: "done" }), task("b", { title: "Read the contract" })]);
    const stopped = (code: string, more: object = {}) =>
      ["planning.stopped", { run_id: "r1", code, message: "No such thing.", ...more }] as const;
    const ends = [
      [
        [plan, stopped("blocked"), ended("blocked", "No such thing.")],
        ["I cannot answer this", "Read the contract"],
      ],
      [
        [plan, said("Partly."), ended("turn_limit", "10 turns")],
        ["I stopped before the plan was done", "Read the contract"],
      ],
      [
        [
          stopped("clarification_failed", { question: { text: "Which Alex?" } }),
          ended("blocked", "I asked 3 times."),
        ],
        ["I still need to know", "Which Alex?", "I asked 3 times."],
      ],
    ] as const;
    for (const [events, words] of ends)
      await withPage({ events: eventsOf(...BEGIN, ...events) }, async (page) => {
        await page.getByTestId("es-ended").waitFor({ timeout: WAIT });
        const shown = await page.getByTestId("message").textContent();
        for (const one of words) expect(shown).toContain(one);
      });
  });

  it("X4 shows hostile and missing content as text, on a phone and a desk", async () => {
    const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
    const long = "W".repeat(10_000);
    const ids = Array.from({ length: 100 }, (_, at) => `drive-${at.toString(16).padStart(4, "0")}`);
    const hits = [
      { ...hitOf(ids[0] as string, evil), owner: { name: long } },
      hitOf(ids[1] as string, long),
      { id: 5 },
    ];
    const choices = [
      { id: evil, label: evil, detail: long, data: { initials: evil, role: long, last: { title: long } } },
    ];
    const suspended = {
      call_id: "ask_1",
      tool_name: "planning",
      kind: "clarification",
      by: "planning",
      before: "run",
    };
    const events = eventsOf(
      ...BEGIN,
      planned([
        task(evil, { title: evil, note: long }),
        task("b", { title: long, depends_on: [evil, "no"] }),
      ]),
      ["planning.docs", { run_id: "r1", chosen: [{ tool: evil, why: long, score: "x" }], left: 7 }],
      ["planning.review", { run_id: "r1", turn: 1, reason: evil, status: 5, notes: evil + long }],
      ["planning.of_tomorrow", { run_id: "r1", plan: [] }],
      ...turn([["a", "search_drive"]]),
      result("a", "search_drive", { result: { results: hits }, report: { connector: evil, fragments: ids } }),
      said(`${evil} ${long} ${ids.map((id) => `[${id}]`).join("")}`),
      ["tool_suspended", { ...suspended, payload: { question: evil, choices } }],
      ["run_suspended", { run_id: "r1", pending: ["ask_1"] }],
    );
    const answers = {
      ...ANSWERS,
      [`/documents/${ids[0]}`]: { status: "ok", id: ids[0] as string, title: evil, text: evil + long },
    };
    for (const width of [390, 1280])
      await withPage(
        { events, answers },
        async (page) => {
          await page.getByTestId("es-choice").waitFor({ timeout: WAIT });
          expect(await page.getByTestId("es-cite").count()).toBe(100);
          expect(await page.getByTestId("es-source-row").count()).toBe(8);
          await page.getByTestId("es-all-sources").click();
          expect(await page.getByTestId("es-source-row").count()).toBe(100);
          await page.getByTestId("es-source-row").first().click();
          await page.getByTestId("es-view-text").waitFor({ timeout: WAIT });
          expect(await page.getByTestId("es-view-text").textContent()).toContain(evil);
          await page.keyboard.press("Escape");
          expect(await page.locator("img, script:not([type=module])").count()).toBe(0);
        },
        { viewport: { width, height: 800 } },
      );
  });

  it("X4 leaves a slash to fields, and hides a citation that is still being written", async () => {
    await withPage({ events: eventsOf(...BEGIN), writing: "It is so [gmail-4be" }, async (page) => {
      await page.getByText("It is so").waitFor({ timeout: WAIT });
      expect(await page.getByTestId("message").textContent()).toBe("It is so");
      await page.getByTestId("composer").focus();
      await page.keyboard.type("a/b");
      expect(await page.getByTestId("composer").inputValue()).toBe("a/b");
    });
  });

  it("X4 shows an opened conversation once it has its plan, or after a second", async () => {
    const events = story.answered.map((event) => ({ ...event, sessionId: "s1" }));
    await withPage({}, async (page) => {
      await change(page, { events, withheld: true });
      await frames(page, 2);
      expect(await page.getByTestId("message").count()).toBe(0);
      await change(page, { withheld: false });
      await page.getByTestId("es-plan").waitFor({ timeout: WAIT });
    });
    await withPage({}, async (page) => {
      await change(page, { events, withheld: true });
      await page.getByTestId("message").waitFor({ timeout: WAIT });
      expect(await page.getByTestId("es-plan").count()).toBe(0);
    });
  });
});
