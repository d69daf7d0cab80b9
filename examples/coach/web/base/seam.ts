import type { UseAgent } from "@pawl/client/react";
import type { Json, JsonObject, Question } from "@pawl/core";
import type { ViewMessage, ViewPart } from "@pawl/core/view";
import type { ComponentType, ReactNode } from "react";

/** A tool call as a part of a message. */
export type ToolPart = Extract<ViewPart, { type: "tool" }>;

export interface ToolPartProps {
  part: ToolPart;
  /** Whether the run of this call is open. */
  live: boolean;
}

export interface QuestionProps {
  question: Question;
  /** Sends an answer; resolves to whether it was accepted. Absent if the question is only shown. */
  answer?: (value: Json) => Promise<boolean>;
}

export interface FrameProps {
  agent: UseAgent;
  /** Whether an earlier state of the conversation is shown. */
  isPast: boolean;
  children: (agent: UseAgent) => ReactNode;
}

/** Renders Markdown in the page's style. */
export type MarkdownView = ComponentType<{ text: string }>;

/** The components that the page provides for the coach's parts. */
export interface PageParts {
  Markdown: MarkdownView;
  /** Shows `instead` if its children fail to render. */
  ErrorBoundary: ComponentType<{ instead: ReactNode; children: ReactNode }>;
}

/** Returns a value from the wire as an object; an empty object for any other value. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** Reads a field of an object. The name may come over the wire, so only own fields count. */
export function fieldIn(fields: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function textIn(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the calls of a conversation that have a result, in order. */
export function callsDone(messages: readonly ViewMessage[]): ToolPart[] {
  return messages.flatMap(({ parts }) =>
    parts.filter((part): part is ToolPart => part.type === "tool" && part.phase === "done"),
  );
}
