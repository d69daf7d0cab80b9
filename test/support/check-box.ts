import type { Locator } from "playwright-core";
import { expect } from "vitest";

/** Checks a box or a radio button, and waits until the page has handled the click. */
export async function check(box: Locator, timeout = 30_000): Promise<void> {
  await box.click({ timeout });
  await expect.poll(() => box.isChecked(), { timeout }).toBe(true);
}
