import type { NewEvent } from "./event.ts";
import type { EventData } from "./event-data.ts";

/**
 * The events that a hook may store: `knowledge`, `artifact`, `note`, extension events, and `spending` (the
 * usage and cost of a model that the hook called itself).
 */
export type AppendableEvent = Exclude<
  NewEvent,
  { type: Exclude<keyof EventData, "knowledge" | "artifact" | "note" | "spending"> }
>;
