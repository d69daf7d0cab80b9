import type { UseAgent } from "@pawl/client/react";
import type { Json, Question } from "@pawl/core";
import type { ViewMessage } from "@pawl/core/view";
import { type ComponentType, createContext, type FunctionComponent, type ReactNode, useContext } from "react";
import type { ToolPart } from "./tool-part.ts";

/** What a part of a message can do in the conversation. */
export interface Talk {
  /** Sends a text as the user's own message. */
  say(text: string): void;
  /** Whether nothing can be sent now: a run is in progress, or the conversation is being replayed. */
  busy: boolean;
}

export interface ToolPartProps {
  part: ToolPart;
  /** Whether its run is open. */
  live: boolean;
  talk: Talk;
}

export interface QuestionProps {
  question: Question;
  /** Resolves to whether the answer was accepted. Absent if the question is only shown. */
  answer?: (value: Json) => Promise<boolean>;
}

export interface FrameProps {
  agent: UseAgent;
  /** The messages that are shown. In a replay they are not the latest ones. */
  messages: readonly ViewMessage[];
  /**
   * The conversation inside the frame. The frame may pass its own agent, e.g. one that sends more fields with
   * each message.
   */
  children: (agent: UseAgent) => ReactNode;
}

/** What an agent's status line is made from. */
export interface Work {
  messages: readonly ViewMessage[];
  /** The tool whose input the model is writing. */
  writes: string | undefined;
}

/** What the page needs to show an agent. The page itself is the same for all agents. */
export interface Face {
  /** As in the server's addresses. */
  name: string;
  /** What it is, in one word. */
  title: string;
  /** Its name in sentences. */
  voice: string;
  /**
   * The text below the greeting, and first messages to choose from: as buttons, or in a component of its own.
   */
  welcome: {
    words: string;
    starters: readonly string[];
    Begin?: ComponentType<{ onStart: (text: string) => void }>;
  };
  /** The names of its tools, for people. */
  toolNames: ReadonlyMap<string, string>;
  /**
   * Components for calls of its tools, by tool name. Other calls get one line each. Parts that are long and
   * read from the top are marked with `data-from-top`.
   */
  parts: ReadonlyMap<string, FunctionComponent<ToolPartProps>>;
  /** Components for its questions, by kind. Other questions get a button for each option. */
  questions?: ReadonlyMap<string, ComponentType<QuestionProps>>;
  /** Shows its text; `open` while it is being written. Default: as Markdown. */
  Words?: ComponentType<{ text: string; open: boolean }>;
  /**
   * The label above the conversation. `type` is the type that the session was begun with: empty if it has
   * none, `undefined` while it is not known.
   */
  Label?: ComponentType<{ messages: readonly ViewMessage[]; type: string | undefined }>;
  /** Wraps the conversation; holds what its parts share. */
  Frame?: ComponentType<FrameProps>;
  /** A panel of its own beside the conversation. */
  panel?: { label: string; icon: ReactNode; Panel: ComponentType<{ messages: readonly ViewMessage[] }> };
  /** Returns the words of a message as Markdown. Default: the message's text. */
  wordsIn?(message: ViewMessage): string;
  /** Describes what it is doing. Default: only the wheel, and each tool where it is called. */
  doing?(work: Work): string;
  /** Describes running tools, all of them at once; they show nothing of their own meanwhile. */
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
