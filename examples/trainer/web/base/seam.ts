import type { UseAgent } from "@pawl/client/react";
import type { Json, JsonObject } from "@pawl/core";
import type { ViewMessage, ViewPart } from "@pawl/core/view";
import type { ComponentType, ReactNode } from "react";

/** What the page around gives to a part of a message, and what it takes from an agent. */
export type ToolPart = Extract<ViewPart, { type: "tool" }>;

export interface Talk {
  /** Sends this as the user's own message. */
  say(text: string): void;
  /** Nothing can be said now. */
  busy: boolean;
}

export interface ToolPartProps {
  part: ToolPart;
  /** Its run is open. */
  live: boolean;
  talk: Talk;
}

export interface FrameProps {
  agent: UseAgent;
  messages: readonly ViewMessage[];
  children: (agent: UseAgent) => ReactNode;
}

/** Shows Markdown, in the page's own way. */
export type MarkdownView = ComponentType<{ text: string }>;

/** What comes over the wire, as fields; what is none has none. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

export function textIn(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
