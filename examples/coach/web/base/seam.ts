import type { UseAgent } from "@pawl/client/react";
import type { Json, JsonObject, Question } from "@pawl/core";
import type { ViewMessage, ViewPart } from "@pawl/core/view";
import type { ComponentType, ReactNode } from "react";

/** What the page around gives to the coach's parts, and what it takes from an agent. */
export type ToolPart = Extract<ViewPart, { type: "tool" }>;

export interface ToolPartProps {
  part: ToolPart;
  /** Its run is open. */
  live: boolean;
}

export interface QuestionProps {
  question: Question;
  /** Resolves to whether it was accepted. Absent where the question is only shown. */
  answer?: (value: Json) => Promise<boolean>;
}

export interface FrameProps {
  agent: UseAgent;
  messages: readonly ViewMessage[];
  children: (agent: UseAgent) => ReactNode;
}

/** Shows Markdown, in the page's own way. */
export type MarkdownView = ComponentType<{ text: string }>;

/** What the page lends to the coach's parts. */
export interface PageParts {
  Markdown: MarkdownView;
  /** Shows `instead` where its children fail to render. */
  ErrorBoundary: ComponentType<{ instead: ReactNode; children: ReactNode }>;
}

/** What comes over the wire, as fields; what is none has none. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** A field whose name comes over the wire as well. */
export function fieldIn(fields: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function textIn(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The calls of a conversation that have come to a result, in their order. */
export function callsDone(messages: readonly ViewMessage[]): ToolPart[] {
  return messages.flatMap(({ parts }) =>
    parts.filter((part): part is ToolPart => part.type === "tool" && part.phase === "done"),
  );
}
