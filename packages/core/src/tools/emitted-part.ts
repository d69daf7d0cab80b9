import type { DataPart } from "../log/data-part.ts";

/** Options of `progress()` in a `ToolContext`. */
export interface ProgressOptions {
  /** Whether a newer report may replace this one before clients have got it. Default: `true`. */
  conflate?: boolean;
}

/** A part that a tool or a hook emits for pages, see `ToolContext.emit`. */
export interface EmittedPart extends Pick<DataPart, "type" | "data" | "id"> {
  /** Whether only clients that are connected now get the part, and it is not stored. Default: `false`. */
  transient?: boolean;
}
