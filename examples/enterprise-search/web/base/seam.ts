import type { UseAgent } from "@pawl/client/react";
import type { Json, Question, StoredEvent } from "@pawl/core";
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

/** What the page offers to an agent's frame. */
export interface PageControls {
  /** Whether the agent's panel is shown. */
  panelShown: boolean;
  showPanel(shown: boolean): void;
  /** Moves the focus to the text field. */
  focusField(): void;
  /** Leaves the conversation for a new one, and loads the list of another user's conversations. */
  startAnew(): void;
}

export interface FrameProps {
  agent: UseAgent;
  messages: readonly ViewMessage[];
  /** The stored events of the conversation. In a replay, those up to the shown state. */
  events: readonly StoredEvent[];
  page: PageControls;
  children: (agent: UseAgent) => ReactNode;
}

/** A message of the agent with what belongs to it. `message` is absent until the run has said something. */
export interface AroundProps {
  message: ViewMessage | undefined;
  live: boolean;
}

/** Renders Markdown in the page's style, and the texts that match `cited.pattern` by `cited.Mark`. */
export type MarkdownView = ComponentType<{
  text: string;
  cited?: { pattern: RegExp; Mark: ComponentType<{ text: string }> };
}>;
