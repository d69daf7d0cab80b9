import type { EventData } from "./event-data.ts";

/**
 * A part that a tool or a hook has emitted for pages, see `ToolContext.emit`. One with an `id` replaces the
 * earlier part of its message that has the same `type` and `id`.
 */
export type DataPart = EventData["data_part"];
