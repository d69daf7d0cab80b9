import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, startBrowser } from "../../../../test/support/browser.ts";
import { checkPageIsBuilt } from "../support/built-page.ts";
import { type FleetServer, fleetServer } from "../support/fleet-server.ts";

const browser = await startBrowser();
const WAIT = { timeout: 30_000 };

describe.skipIf(browser === undefined)("the page of the fleet", { timeout: 120_000 }, () => {
  let server: FleetServer;
  let page: Page;
  const problems: string[] = [];
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const text = (id: string) => page.getByTestId(id).textContent();

  beforeAll(async () => {
    checkPageIsBuilt();
    server = await fleetServer({ pace: { stepMs: 1_000, leaseMs: 1_500, places: 10 } });
    page = await browser!.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
  }, 60_000);
  afterAll(async () => {
    await closePages(browser);
    await server?.close();
  });

  it("Q1 shows that every run ends although a worker is killed, and keeps that over a reload", async () => {
    await page.goto(`${server.url}/#fleet`);
    await button("Start two workers").click(WAIT);
    for (const name of ["Robin", "Wren"])
      await page.locator(`[data-testid=worker-${name}][data-state=ready]`).waitFor(WAIT);
    await button("Send 20 runs").click();
    await page.locator(".fleet-step", { hasText: "R" }).nth(2).waitFor(WAIT);
    await button("Kill Robin").focus();
    await page.keyboard.press("Enter");
    await page.getByTestId("fleet-ended").waitFor(WAIT);
    // The button is gone, so the focus is on the heading above it.
    await expect.poll(() => page.locator(":focus").textContent()).toBe("Workers");
    await page.getByTestId("fleet-done").filter({ hasText: "20 of 20 done" }).waitFor(WAIT);
    await expect.poll(() => text("fleet-news")).toContain("All 20 runs have ended.");
    await expect.poll(() => text("fleet-takeovers")).not.toBe("0");

    await page.reload();
    await page.getByTestId("fleet-done").filter({ hasText: "20 of 20 done" }).waitFor(WAIT);
    expect(await text("fleet-ended")).toBe("Ended: Robin (killed).");
    expect(await page.getByTestId("fleet-run").first().textContent()).toMatch(/^Run 1: done by /);
    await button("Stop everything").click();
    await button("Start two workers").waitFor(WAIT);
    expect(problems).toEqual([]);
  });
});
