import { setTimeout } from "node:timers/promises";

/**
 * Waits for a fixed time. `why` is why no condition can be awaited. Elsewhere `npm run sleeps` allows no
 * fixed time in tests: they use `until`, `settled`, `expect.poll`, an event, or a clock of their own.
 */
export async function pause(ms: number, _why: string, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal });
}
