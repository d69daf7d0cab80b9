import { setImmediate } from "node:timers/promises";

/** Lets everything run that waits for no timer. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}
