import { pause } from "./pause.ts";

const LONGEST_MS = 20_000;

/**
 * Waits until something holds, however slow the machine is. Fails after 20 s, so that a test that would wait
 * forever says what it waits for.
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`does not hold after 20 s: ${holds}`);
    await pause(1, "between two looks at a condition");
  }
}
