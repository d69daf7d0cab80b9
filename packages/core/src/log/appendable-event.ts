import type { NewEvent } from "./event.ts";
import type { EventData } from "./event-data.ts";

/**
 * The events that a hook may store: `knowledge`, `artifact`, `note`, extension events, and `spending` (usage
 * and cost of a model that the hook called without `context.askModel`).
 */
export type AppendableEvent = Exclude<
  NewEvent,
  { type: Exclude<keyof EventData, "knowledge" | "artifact" | "note" | "spending"> }
>;
