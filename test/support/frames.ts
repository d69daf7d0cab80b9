import type { Page } from "playwright-core";

/** Lets a page draw some times. Whatever it does on its own, e.g. a render, it has done by then. */
export async function frames(page: Page, count = 10): Promise<void> {
  await page.evaluate(`(async () => {
    for (let frame = 0; frame < ${count}; frame += 1) await new Promise(requestAnimationFrame);
  })()`);
}
