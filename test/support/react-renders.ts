import { join } from "node:path";
import type { Page } from "playwright-core";

/** How often React has rendered the messages of a page. */
export interface Renders {
  /** Commits in which anything changed. */
  commits: number;
  /** How often each message was rendered, by its position. */
  byMessage: Readonly<Record<number, number>>;
  /** The durations of tasks that blocked the page for more than 50 ms, in milliseconds. */
  longTasks: readonly number[];
}

/** Starts counting at the page's next load. */
export async function countRenders(page: Page): Promise<void> {
  await page.addInitScript({ path: join(import.meta.dirname, "count-renders.page.js") });
}

/** Returns the counts since the last call. */
export async function renders(page: Page): Promise<Renders> {
  return await page.evaluate<Renders>("takeCounted()");
}

/** Waits until the page shows this text. */
export async function untilSays(page: Page, words: string, timeout: number): Promise<void> {
  await page.locator("main", { hasText: words }).waitFor({ timeout });
}
