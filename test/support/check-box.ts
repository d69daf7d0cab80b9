import type { Locator } from "playwright-core";
import { expect } from "vitest";

/** Checks a box or a radio button. On a busy machine a click returns before the page has handled it. */
export async function check(box: Locator, timeout = 30_000): Promise<void> {
  await box.click({ timeout });
  await expect.poll(() => box.isChecked(), { timeout }).toBe(true);
}
