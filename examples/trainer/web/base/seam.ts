import type { UseAgent } from "@pawl/client/react";
import type { Json, JsonObject } from "@pawl/core";
import type { ViewMessage, ViewPart } from "@pawl/core/view";
import type { ComponentType, ReactNode } from "react";

/** What the page gives to a part of a message, and what the part can do with the conversation. */
export type ToolPart = Extract<ViewPart, { type: "tool" }>;

export interface Talk {
  /** Sends a text as the user's own message. */
  say(text: string): void;
  /** Nothing can be sent now. */
  busy: boolean;
}

export interface ToolPartProps {
  part: ToolPart;
  /** Whether its run is open. */
  live: boolean;
  talk: Talk;
}

export interface FrameProps {
  agent: UseAgent;
  messages: readonly ViewMessage[];
  children: (agent: UseAgent) => ReactNode;
}

/** Renders Markdown in the page's style. */
export type MarkdownView = ComponentType<{ text: string }>;

/** Returns a wire value as an object; empty if it is not one. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

export function textIn(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
