import type { UseAgent } from "@pawl/client/react";
import type { Json, Question } from "@pawl/core";
import type { ViewMessage } from "@pawl/core/view";
import { type ComponentType, createContext, type FunctionComponent, type ReactNode, useContext } from "react";
import type { ToolPart } from "./tool-part.ts";

/** What a part of a message can do: for buttons within the conversation. */
export interface Talk {
  /** Sends this as the user's own message. */
  say(text: string): void;
  /** Nothing can be said now: a run is at work, or the conversation is only looked at. */
  busy: boolean;
}

export interface ToolPartProps {
  part: ToolPart;
  /** Its run is open. */
  live: boolean;
  talk: Talk;
}

export interface QuestionProps {
  question: Question;
  /** Resolves to whether it was accepted. Absent where the question is only shown. */
  answer?: (value: Json) => Promise<boolean>;
}

export interface FrameProps {
  agent: UseAgent;
  /** What is shown, which in a replay is not what was said last. */
  messages: readonly ViewMessage[];
  /**
   * Shown within; the agent that it is given may be the frame's own, e.g. one that sends more with a message.
   */
  children: (agent: UseAgent) => ReactNode;
}

/** What is at work, for the line that says so. */
export interface Work {
  messages: readonly ViewMessage[];
  /** The tool whose input the model is writing. */
  writes: string | undefined;
}

/** What the page has to know of an agent to show it. The page itself is the same for all. */
export interface Face {
  /** As in the server's addresses. */
  name: string;
  /** What it is, in a word. */
  title: string;
  /** How it is called in sentences. */
  voice: string;
  /** A greeting above these words, and what one may begin with: as buttons, or in a way of its own. */
  welcome: {
    words: string;
    starters: readonly string[];
    Begin?: ComponentType<{ onStart: (text: string) => void }>;
  };
  /** How to call its tools. */
  toolNames: ReadonlyMap<string, string>;
  /**
   * How it shows calls of its tools, by name; the others get a line each. What is long and read from its
   * beginning is marked with `data-from-top`.
   */
  parts: ReadonlyMap<string, FunctionComponent<ToolPartProps>>;
  /** How it asks questions, by kind; the others are asked with a button for each option. */
  questions?: ReadonlyMap<string, ComponentType<QuestionProps>>;
  /** How it shows its words; `open`: they are still being written. Default: as Markdown. */
  Words?: ComponentType<{ text: string; open: boolean }>;
  /**
   * What is said of the conversation above it. `type`: what the session was begun as, empty if nothing was
   * said, `undefined` as long as it is not known.
   */
  Label?: ComponentType<{ messages: readonly ViewMessage[]; type: string | undefined }>;
  /** Around the conversation: what its parts have in common. */
  Frame?: ComponentType<FrameProps>;
  /** Something of its own beside the conversation. */
  panel?: { label: string; icon: ReactNode; Panel: ComponentType<{ messages: readonly ViewMessage[] }> };
  /** What it says in a message, in Markdown. Default: the message's text. */
  wordsIn?(message: ViewMessage): string;
  /** What it is doing, in words. Default: the wheel alone, and tools where they are called. */
  doing?(work: Work): string;
  /** What tools at work do, in words for all of them at once; these show nothing of their own meanwhile. */
  atWork?(tools: readonly string[]): string | undefined;
}

export const FaceContext = createContext<Face | undefined>(undefined);

/** The agent that is talked to. */
export function useFace(): Face {
  const face = useContext(FaceContext);
  if (face === undefined) throw new Error("There is no agent around this.");
  return face;
}

export const TalkContext = createContext<Talk>({ say: () => undefined, busy: true });
