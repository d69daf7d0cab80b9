import type { UseAgent } from "@pawl/client/react";
import type { Json, Question, StoredEvent } from "@pawl/core";
import type { ViewMessage } from "@pawl/core/view";
import { type ComponentType, createContext, type FunctionComponent, type ReactNode, useContext } from "react";
import type { ToolPart } from "./tool-part.ts";

/** The actions that a part of a message can take in the conversation. */
export interface Talk {
  /** Sends a text as the user's own message. */
  say(text: string): void;
  /** Whether the user cannot send now, because a run is in progress or the conversation is being replayed. */
  busy: boolean;
}

export interface ToolPartProps {
  part: ToolPart;
  /** Whether the run of this call is open. */
  live: boolean;
  talk: Talk;
}

export interface QuestionProps {
  question: Question;
  /** Sends an answer; resolves to whether it was accepted. Absent if the question is only shown. */
  answer?: (value: Json) => Promise<boolean>;
}

/** What the page offers to an agent's frame, e.g. for keys. */
export interface PageControls {
  /** Whether the agent's panel is shown, beside the conversation or over it. */
  panelShown: boolean;
  showPanel(shown: boolean): void;
  /** Moves the focus to the text field. */
  focusField(): void;
  /** Leaves the conversation for a new one, and loads the list of another user's conversations. */
  startAnew(): void;
}

export interface FrameProps {
  agent: UseAgent;
  /**
   * The messages of the whole conversation, also those that the thread has not loaded. In a replay they are
   * those of an earlier state.
   */
  messages: readonly ViewMessage[];
  /** Whether an earlier state of the conversation is shown. */
  isPast: boolean;
  /** The stored events of the conversation. In a replay they are those up to the earlier state. */
  events: readonly StoredEvent[];
  page: PageControls;
  /**
   * Renders the page inside the frame. The frame may pass a changed agent, e.g. one that sends more fields
   * with each message.
   */
  children: (agent: UseAgent) => ReactNode;
}

/** Props of the components that are shown above and below a message of the agent. */
export interface AroundProps {
  /** Absent until the run has written something. */
  message: ViewMessage | undefined;
  /** Whether the run of this message is open. */
  live: boolean;
}

export interface PanelProps {
  /** The messages of the whole conversation, also those that the thread has not loaded. */
  messages: readonly ViewMessage[];
  /** Whether a run is in progress. */
  working: boolean;
}

/** The facts from which an agent's status line is made. */
export interface Work {
  messages: readonly ViewMessage[];
  /** The name of the tool whose input the model is writing. */
  writes: string | undefined;
}

/** An agent's part of the page. The rest of the page is the same for all agents. */
export interface Face {
  /** The agent's name in the server's addresses. */
  name: string;
  /** The agent's title: one word. */
  title: string;
  /** The agent's name in sentences. */
  voice: string;
  /** Sends the requests of conversations. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Whether messages may have files. */
  files?: boolean;
  /** Explains that a conversation cannot be found. Default: it may belong to another browser. */
  notFound?: string;
  /**
   * The text below the greeting, and suggestions for a first message. They are buttons, or a component of the
   * agent.
   */
  welcome: {
    words: string;
    starters: readonly string[];
    Begin?: ComponentType<{ onStart: (text: string) => void }>;
  };
  /** The names of the agent's tools that users see. */
  toolNames: ReadonlyMap<string, string>;
  /**
   * Components for calls, by tool name. Other calls get one line each. A component marks an element with
   * `data-from-top` if it is long and should be read from its top.
   */
  parts: ReadonlyMap<string, FunctionComponent<ToolPartProps>>;
  /** Components for questions, by kind. Other questions get a button for each option. */
  questions?: ReadonlyMap<string, ComponentType<QuestionProps>>;
  /**
   * Shows the agent's text; `open` while it is being written. `message` is the message that it belongs to.
   * Default: as Markdown.
   */
  Words?: FunctionComponent<{ text: string; open: boolean; message: ViewMessage }>;
  /** Whether the agent's own components show its artifacts. Default: each one is shown as its data. */
  ownArtifacts?: boolean;
  /** Shown above the parts of an agent's message, from the start of its run on. */
  Before?: FunctionComponent<AroundProps>;
  /** Shown below the parts of an agent's message. */
  After?: FunctionComponent<AroundProps>;
  /** Shows the model's thinking; `open` while it is being written. Default: collapsed, without its length. */
  Thinking?: ComponentType<{ text: string; open: boolean }>;
  /**
   * The label above the conversation. `type` is the type that the session began with: `""` if it has none,
   * `undefined` while it is loading.
   */
  Label?: FunctionComponent<PanelProps & { type: string | undefined }>;
  /** Wraps the page and provides the state that its parts share. */
  Frame?: FunctionComponent<FrameProps>;
  /** Shows, above the text field, what is sent along with the next message. */
  Attached?: ComponentType;
  /** The agent's panel beside the conversation. */
  panel?: { label: string; icon: ReactNode; Panel: FunctionComponent<PanelProps> };
  /** Returns the text of a message as Markdown, for screen readers. Default: the message's own text. */
  wordsIn?(message: ViewMessage): string;
  /** Returns the status line of a run. Default: a wheel without text, and a line for each tool call. */
  doing?(work: Work): string;
  /**
   * Returns one status line for all running tools; meanwhile their calls have no lines of their own.
   * `undefined`: each call has its own line.
   */
  atWork?(tools: readonly string[]): string | undefined;
}

export const FaceContext = createContext<Face | undefined>(undefined);

/** Returns the face of the current agent. */
export function useFace(): Face {
  const face = useContext(FaceContext);
  if (face === undefined) throw new Error("useFace() works only inside an agent's page.");
  return face;
}

export const TalkContext = createContext<Talk>({ say: () => undefined, busy: true });
