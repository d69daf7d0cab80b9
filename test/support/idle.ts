import type { Page } from "playwright-core";

/**
 * Waits until the playground's agent has answered, and until its status line is gone. The line is shown for
 * at least 200 ms. The messages move when it disappears, and a press on a button then may miss it.
 */
export async function idle(page: Page, timeout = 20_000): Promise<void> {
  await page.locator('main[data-phase="idle"]').waitFor({ timeout });
  await page.locator(".thread .working").waitFor({ state: "detached", timeout });
}
