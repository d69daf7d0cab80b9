import type { UseAgent } from "@pawl/client/react";
import type { ViewMessage } from "@pawl/core";
import { type ComponentType, createContext, type ReactNode, useContext } from "react";
import type { ToolPart } from "../thread/tool-chip.tsx";

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

export interface FrameProps {
  agent: UseAgent;
  /** What is shown, which in a replay is not what was said last. */
  messages: readonly ViewMessage[];
  /** Shown within; the agent that it is given may be the frame's own, e.g. one that sends more with a message. */
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
  /** A greeting above these words, and what one may begin with. */
  welcome: { words: string; starters: readonly string[] };
  /** How to call its tools. */
  toolNames: Readonly<Record<string, string>>;
  /** How it shows calls of its tools, by name; the others get a line each. */
  parts: Readonly<Record<string, ComponentType<ToolPartProps>>>;
  /** Around the conversation: what its parts have in common. */
  Frame?: ComponentType<FrameProps>;
  /** Something of its own beside the conversation. */
  panel?: { label: string; icon: ReactNode; Panel: ComponentType<{ messages: readonly ViewMessage[] }> };
  /** What it says in a message, in Markdown. Default: the message's text. */
  wordsIn?(message: ViewMessage): string;
  /** What it is doing, in words. Default: the wheel alone, and tools where they are called. */
  doing?(work: Work): string;
}

export const FaceContext = createContext<Face | undefined>(undefined);

/** The agent that is talked to. */
export function useFace(): Face {
  const face = useContext(FaceContext);
  if (face === undefined) throw new Error("There is no agent around this.");
  return face;
}

export const TalkContext = createContext<Talk>({ say: () => undefined, busy: true });
