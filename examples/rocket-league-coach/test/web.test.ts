import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { PGlite } from "@electric-sql/pglite";
import type { Json } from "@pawl/core";
import type { ViewPart } from "@pawl/core/view";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, openPage, startBrowser } from "../../../test/support/browser.ts";
import { frames } from "../../../test/support/frames.ts";
import { newPglite } from "../../../test/support/new-pglite.ts";
import type { BoostAnalysis, PlayerTrends, RankBenchmarks, RecentSessions } from "../src/index.ts";
import { budgetFrom } from "../web/budget/use-budget.ts";
import type { Shown } from "../web/gallery/shown.ts";
import { type Gallery, openGallery } from "./support/gallery.ts";
import { partOf, realParts } from "./support/outputs.ts";
import { NOW } from "./support/tools-suite.ts";

const browser = await startBrowser();
const WAIT = 20_000;
const BUDGET = { used: 412_000, reserved: 100_000, limit: 1_000_000 };
/** Returns an attribute of each element. */
const attributes = async (all: Locator, name: string) =>
  await Promise.all((await all.all()).map((one) => one.getAttribute(name)));

/** Returns the width of each element's style, in percent. */
const widths = async (all: Locator) =>
  (await attributes(all, "style")).map((style) => Number(/width: ([\d.]+)%/.exec(style ?? "")?.[1]));

const CARDS = ["sessions", "benchmarks", "trends", "boost", "rotations", "replay"];

describe.skipIf(browser === undefined)("the coach's parts of a page", { timeout: 60_000 }, () => {
  let db: PGlite;
  let gallery: Gallery;
  let real: Awaited<ReturnType<typeof realParts>>;
  beforeAll(async () => {
    db = await newPglite();
    real = await realParts(db, NOW);
    gallery = await openGallery(shown({}));
  }, 120_000);
  afterAll(async () => {
    await closePages(browser);
    await gallery.close();
    await db.close();
  });

  const shown = (more: Partial<Shown>): Shown => ({ parts: real, live: false, budget: BUDGET, ...more });
  const resultOf = <T>(tool: string) => real.find(({ toolName }) => toolName === tool)?.result as T;
  const thought = (text: string, open = false): ViewPart => ({ type: "thinking", key: "1:0", text, open });

  /** Opens the gallery, and fails if the page reports an error at the end. */
  const withPage = async (
    what: Partial<Shown>,
    work: (page: Page) => Promise<void>,
    options: Parameters<typeof openPage>[1] = {},
  ) => {
    gallery.show(shown(what));
    const { page, close } = await openPage(browser!, { viewport: { width: 1280, height: 900 }, ...options });
    const problems: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(gallery.url);
    await page.getByTestId("panel").getByTestId("rl-budget").waitFor({ timeout: WAIT });
    await work(page);
    expect(problems).toEqual([]);
    await close();
  };
  const change = async (page: Page, what: Partial<Shown>) => {
    gallery.show(shown(what));
    await page.evaluate("dispatchEvent(new Event('shown'))");
  };
  const drawn = async (page: Page) => {
    for (const name of CARDS) await page.getByTestId(`rl-${name}`).waitFor({ timeout: WAIT });
    await page.getByTestId("rl-you").first().waitFor({ timeout: WAIT });
  };

  it("X3 draws what the tools returned: each rank, window, pad, session and player", async () => {
    await withPage({}, async (page) => {
      await drawn(page);
      const count = (name: string) => page.getByTestId(`rl-${name}`).count();
      const { metrics } = resultOf<RankBenchmarks>("get_rank_benchmarks");
      const bars = metrics.flatMap(({ ranks }) => ranks).length;
      expect([await count("bar"), await count("you")]).toEqual([bars, bars]);
      const { series } = resultOf<PlayerTrends>("get_player_trends");
      const values = series.flatMap((one) => one.values).filter((value) => value !== null);
      expect(await count("point")).toBe(values.length);
      const { pads } = resultOf<BoostAnalysis>("analyze_boost");
      const uses = await attributes(page.getByTestId("rl-pad"), "data-use");
      expect(uses).toHaveLength(34);
      pads.forEach(({ per_match: you, rank_per_match: rank }, at) => {
        expect(uses[at]).toBe(you > rank * 1.1 ? "more" : you < rank * 0.9 ? "less" : "same");
      });
      const { sessions } = resultOf<RecentSessions>("get_recent_sessions");
      expect(await count("session")).toBe(sessions.length);
      expect([await count("third"), await count("role"), await count("team")]).toEqual([3, 2, 2]);
      expect(await page.getByTestId("rl-written").first().textContent()).toContain(
        "small pads on the way back",
      );
    });
  });

  it("X3 places pads as on the field, and the user's mark by its value", async () => {
    await withPage({}, async (page) => {
      await drawn(page);
      const { pads } = resultOf<BoostAnalysis>("analyze_boost");
      const places = await Promise.all(
        (await page.getByTestId("rl-pad").all()).map(async (pad) => (await pad.boundingBox())!),
      );
      const middle = ({ x, y, width, height }: (typeof places)[number]) =>
        [x + width / 2, y + height / 2] as const;
      // The own goal is at the bottom, and the left side of the field is on the left.
      const [own, left] = [
        pads.findIndex(({ y }) => y < -4_200),
        pads.findIndex(({ x, y }) => x < 0 && y === 0),
      ];
      const [theirs, right] = [
        pads.findIndex(({ y }) => y > 4_200),
        pads.findIndex(({ x, y }) => x > 0 && y === 0),
      ];
      expect(middle(places[own]!)[1]).toBeGreaterThan(middle(places[theirs]!)[1] + 200);
      expect(middle(places[left]!)[0]).toBeLessThan(middle(places[right]!)[0] - 50);
      const benchmarks = resultOf<RankBenchmarks>("get_rank_benchmarks").metrics;
      for (const [at, { you, ranks }] of benchmarks.entries()) {
        const one = page.getByTestId("rl-benchmark").nth(at);
        const [bar, mark] = [
          await one.getByTestId("rl-bar").first().boundingBox(),
          await one.getByTestId("rl-you").first().boundingBox(),
        ];
        const x = middle(mark!)[0];
        const { p10, p90 } = ranks[0]!;
        expect(x > bar!.x - 1 && x < bar!.x + bar!.width + 1).toBe(you! >= p10 && you! <= p90);
      }
    });
  });

  it("X3 has every chart in words and as a table, which the keyboard opens", async () => {
    await withPage({}, async (page) => {
      await drawn(page);
      const names = await attributes(page.locator("svg[role=img]"), "aria-label");
      expect(names).toHaveLength(8 + 4 + 1);
      for (const name of names) expect(name).toMatch(/\d/);
      const { metrics } = resultOf<RankBenchmarks>("get_rank_benchmarks");
      for (const [at, { label, better, ranks }] of metrics.entries()) {
        expect(names[at]).toContain(label);
        for (const { rank, your_percentile: below } of ranks) {
          const share = Math.round(better === "lower" ? 100 - below! : below!);
          expect(names[at]).toContain(`${rank}: ${better === "neither" ? "above" : "better than"} ${share}%`);
        }
      }
      const benchmarks = page.getByTestId("rl-benchmarks");
      await benchmarks.locator("summary").focus();
      await page.keyboard.press("Enter");
      expect(await benchmarks.getByRole("row").count()).toBe(1 + metrics.length * 2);
      const [first] = metrics;
      const row = await benchmarks.getByRole("row").nth(1).textContent();
      expect(row).toContain(`${first!.label}, ${first!.ranks[0]!.rank}`);
      expect(row).toContain(String(first!.ranks[0]!.p50));
      const boost = page.getByTestId("rl-boost");
      await boost.locator("summary").focus();
      await page.keyboard.press("Space");
      expect(await boost.getByRole("row").count()).toBe(35);
      const shares = await boost.getByRole("row").locator("td:last-child").allTextContents();
      const total = shares.reduce((sum, text) => sum + Number.parseFloat(text), 0);
      expect(total).toBeGreaterThan(98);
      expect(total).toBeLessThan(102);
    });
  });

  it.each([
    [320, "light"],
    [390, "dark"],
    [1280, "light"],
    [1280, "dark"],
  ] as const)("X3 fits into %d pixels, %s", async (width, colorScheme) => {
    const show = async (page: Page) => {
      await drawn(page);
      for (const summary of await page.locator("summary").all()) await summary.click();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      const outside = `[...document.querySelectorAll(".rl-card")].flatMap((card) => {
        const box = card.getBoundingClientRect();
        return [...card.querySelectorAll("svg text, p, li, td")].filter((one) => {
          const { left, right } = one.getBoundingClientRect();
          return !one.closest(".table-scroll") && (left < box.left || right > box.right);
        }).map((one) => one.textContent);
      })`;
      expect(await page.evaluate(outside)).toEqual([]);
    };
    await withPage({}, show, { viewport: { width, height: 844 }, colorScheme });
  });

  it("X3 shows the status of a call, and no chart of a broken result", async () => {
    const tool = "analyze_boost";
    const bad: Json[] = [null, "x", [], {}, { pads: 1, economy: [], field: {} }];
    const parts = [
      partOf(tool, { key: "0", phase: "running", status: "Checking your boost..." }),
      partOf(tool, { key: "1", phase: "error", result: { error: "no" } }),
      partOf("get_replay", { key: "2", status: "Replay read" }),
      ...bad.map((result, at) => partOf(tool, { key: `bad${at}`, result, status: "Boost checked" })),
    ];
    await withPage({ live: true, parts }, async (page) => {
      const texts = () => page.getByTestId("rl-status").allTextContents();
      const rest = ["Check your boost: did not work", "Replay read", ...bad.map(() => "Boost checked")];
      await expect.poll(texts).toEqual(["Checking your boost...", ...rest]);
      await expect.poll(() => page.locator(".rl-coming").count()).toBe(0);
      expect(await page.locator(".rl-card").count()).toBe(0);
      // The run has ended without a result of the first call.
      await change(page, { live: false, parts });
      await expect.poll(texts).toEqual(["Check your boost: stopped", ...rest]);
    });
  });

  it("X3 folds thinking away, says how long it is, and opens it by the keyboard", async () => {
    await withPage({ parts: [thought("First look at boost.")] }, async (page) => {
      const thinking = page.getByTestId("rl-thinking");
      expect(await thinking.locator("summary").textContent()).toBe("Thought 4 words");
      expect(await thinking.locator("p").isVisible()).toBe(false);
      await thinking.locator("summary").focus();
      await page.keyboard.press("Enter");
      expect(await thinking.locator("p").isVisible()).toBe(true);
      await change(page, { parts: [thought("word ".repeat(1_200), true)] });
      await expect.poll(() => thinking.locator("summary").textContent()).toBe("Thinking… 1,200 words");
      expect(await thinking.locator("p").isVisible()).toBe(true);
    });
  });

  it("X3 fills the budget's meter while the model writes, and reads it when an answer is complete", async () => {
    const budget = { used: 100_000, reserved: 100_000, limit: 400_000 };
    const writing = (length: number) => ({ live: true, budget, parts: [thought("x".repeat(length), true)] });
    await withPage(writing(4), async (page) => {
      const panel = page.getByTestId("panel");
      const width = async () => (await widths(panel.getByTestId("rl-budget-used")))[0];
      const left = () => panel.locator(".rl-budget-left").textContent();
      expect(await width()).toBeCloseTo(25, 0);
      // What is set aside for the answer counts as left: the rest of it comes back.
      await expect.poll(left).toBe("299,999 tokens left");
      // 40,000 tokens.
      await change(page, writing(160_000));
      await expect.poll(width).toBeCloseTo(35, 0);
      expect(await left()).toBe("260,000 tokens left");
      const meter = panel.getByRole("meter", { name: "Token budget" });
      expect(await meter.getAttribute("aria-valuetext")).toBe(
        "100,000 of 400,000 tokens used, 100,000 set aside, 200,000 left",
      );
      const charged = { used: 150_000, reserved: 0, limit: 400_000 };
      await change(page, { budget: charged, parts: [thought("x".repeat(160_000))] });
      await expect.poll(left).toBe("250,000 tokens left");
      expect(await width()).toBeCloseTo(37.5, 1);
      expect(await page.getByTestId("label").textContent()).toBe("250k left");
      // The run's last use is charged after its answer, without another part.
      gallery.show(shown({ budget: { ...charged, used: 160_000 } }));
      await expect.poll(left).toBe("240,000 tokens left");
    });
  });

  it("X3 an opened session counts as written before, and a budget that cannot be read stays as it was", async () => {
    const budget = { used: 100, reserved: 0, limit: 400 };
    await withPage({ parts: [], budget }, async (page) => {
      const left = page.getByTestId("panel").locator(".rl-budget-left");
      const seen: string[] = [];
      await change(page, { budget: null, parts: [thought("x".repeat(1_000))] });
      await page.getByTestId("rl-thinking").waitFor({ timeout: WAIT });
      for (let round = 0; round < 5; round += 1) {
        seen.push((await left.textContent()) ?? "");
        await frames(page);
      }
      expect(new Set(seen)).toEqual(new Set(["300 tokens left"]));
    });
  });

  it("X3 reads a budget from a server, and refuses other data", async () => {
    const answers: [status: number, body: unknown][] = [
      [200, { used: 1, held: 2, limit: 3, remaining: 0 }],
      [200, { used: 1, reserved: 2, limit: 3 }],
      [200, { used: 1, held: 2, limit: 3, has_free_preview: true }],
      [200, { used: 1, limit: "3" }],
      [200, { used: 1 }],
      [200, null],
      [402, {}],
    ];
    const server = createServer(({ url = "" }, response) => {
      const [status, body] = answers[Number(url.slice(1))]!;
      response.writeHead(status).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const read = async (at: number) =>
      await budgetFrom(`http://127.0.0.1:${port}/${at}`)(new AbortController().signal);
    for (const at of [0, 1]) expect(await read(at)).toEqual({ used: 1, reserved: 2, limit: 3 });
    expect(await read(2)).toEqual({ used: 1, reserved: 2, limit: 3, preview: true });
    for (const at of [3, 4, 5]) await expect(read(at)).rejects.toThrow("not a budget");
    await expect(read(6)).rejects.toThrow("402");
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    [{ used: 0, reserved: 0, limit: 0 }, "No tokens left"],
    [{ used: 500, reserved: 0, limit: 400 }, "No tokens left"],
    [{ used: 0, reserved: 900, limit: 400 }, "No tokens left"],
    [{ used: 1, reserved: 0, limit: 400 }, "399 tokens left"],
    [{ used: 0, reserved: 0, limit: 0, preview: true }, "One free answer"],
  ])("X3 the meter stays inside its frame: %o", async (budget, words) => {
    await withPage({ parts: [], budget }, async (page) => {
      const panel = page.getByTestId("panel");
      expect(await panel.locator(".rl-budget-left").textContent()).toBe(words);
      const [used, reserved] = await widths(panel.locator(".rl-budget-bar > span"));
      expect(used! + reserved!).toBeLessThanOrEqual(100);
    });
  });

  it("X3 moves nothing for people who want no motion", async () => {
    const moving = { live: true, parts: [thought("word", true)] };
    const animation = (page: Page) =>
      page.evaluate("getComputedStyle(document.querySelector('.rl-budget-reserved')).animationName");
    await withPage(moving, async (page) => expect(await animation(page)).toBe("rl-flow"));
    await withPage(moving, async (page) => expect(await animation(page)).toBe("none"), {
      reducedMotion: "reduce",
    });
  });
});
