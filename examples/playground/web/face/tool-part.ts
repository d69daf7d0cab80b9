import type { ViewPart } from "@pawl/core";

/** A tool call as a part of a message. */
export type ToolPart = Extract<ViewPart, { type: "tool" }>;
