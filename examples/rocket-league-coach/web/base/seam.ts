import type { UseAgent } from "@pawl/client/react";
import type { Json, JsonObject } from "@pawl/core";
import type { ViewMessage, ViewPart } from "@pawl/core/view";
import type { ComponentType, ReactNode } from "react";

/** A tool call as a part of a message. */
export type ToolPart = Extract<ViewPart, { type: "tool" }>;

export interface ToolPartProps {
  part: ToolPart;
  /** Whether the run of this call is open. */
  live: boolean;
}

export interface FrameProps {
  agent: UseAgent;
  messages: readonly ViewMessage[];
  children: (agent: UseAgent) => ReactNode;
}

/** Renders Markdown in the page's style. */
export type MarkdownView = ComponentType<{ text: string }>;

/** Returns a value from the wire as an object; an empty object for any other value. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
