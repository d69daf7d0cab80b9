import { parentPort, workerData } from "node:worker_threads";
import { type DayInZone, eventsOn } from "./events-on.ts";

// Reads one day in a separate thread: see `readDay()`.
const { text, at } = workerData as { text: string; at: DayInZone };
parentPort?.postMessage(eventsOn(text, at));
