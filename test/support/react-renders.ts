import { join } from "node:path";
import type { Page } from "playwright-core";

/** What React has rendered of the messages of a page. */
export interface Renders {
  /** Commits in which anything changed. */
  commits: number;
  /** How often each message was rendered, by its place. */
  byMessage: Readonly<Record<number, number>>;
  /** Tasks that held the page up for more than 50 ms, in milliseconds. */
  longTasks: readonly number[];
}

/** Counts from the page's next loading on. */
export async function countRenders(page: Page): Promise<void> {
  await page.addInitScript({ path: join(import.meta.dirname, "count-renders.page.js") });
}

/** What was counted since the last time that this was asked. */
export async function renders(page: Page): Promise<Renders> {
  return await page.evaluate<Renders>("takeCounted()");
}

/** Waits until the page says this. */
export async function untilSays(page: Page, words: string, timeout: number): Promise<void> {
  await page.locator("main", { hasText: words }).waitFor({ timeout });
}
