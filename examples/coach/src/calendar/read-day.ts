import { Worker } from "node:worker_threads";
import type { CalendarEvent } from "./calendar-event.ts";
import type { DayInZone } from "./events-on.ts";

/** The time limit for reading a day, in milliseconds. */
const READ_MS = 5_000;

/** The memory limit of the thread that reads a day, in megabytes. */
const READ_MB = 128;

/**
 * Reads one day of an iCalendar file in a thread, and terminates it if it takes too long. The file comes from
 * elsewhere: a rule such as the 30th of February would otherwise keep the whole server busy forever.
 *
 * @throws Error if the text is not an iCalendar file, or takes too long or too much memory.
 */
export async function readDay(
  text: string,
  at: DayInZone,
  withinMs = READ_MS,
): Promise<readonly CalendarEvent[]> {
  const worker = new Worker(new URL("./day-worker.ts", import.meta.url), {
    workerData: { text, at },
    resourceLimits: { maxOldGenerationSizeMb: READ_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`Reading it takes longer than ${withinMs} ms.`)), withinMs);
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("Reading it failed.")));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
