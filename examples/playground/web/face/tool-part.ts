import type { ViewPart } from "@pawl/core/view";

/** A tool call as a part of a message. */
export type ToolPart = Extract<ViewPart, { type: "tool" }>;
