import type { Json, JsonObject } from "@pawl/core";
import { createContext, useContext, useEffect, useMemo, useRef, useState } from "react";
import type { SessionType } from "../../src/sessions/session-types.ts";
import type { FrameProps } from "../base/seam.ts";
import { KINDS } from "./kinds.ts";
import { useName } from "./use-name.ts";

/** The state that the parts of one conversation share. */
interface Coaching {
  sessionId: string | undefined;
  /** The type of the next new conversation. */
  type: SessionType;
  setType(type: SessionType): void;
  /** The user's name. Empty if they have entered none. */
  name: string;
  setName(name: string): void;
  /** The call ids of questions that were answered on this page. */
  answered: ReadonlySet<string>;
  /** Whether an earlier state of the conversation is shown. */
  isPast: boolean;
}

const CoachingContext = createContext<Coaching | undefined>(undefined);

export function useCoaching(): Coaching {
  const coaching = useContext(CoachingContext);
  if (coaching === undefined) throw new Error("useCoaching() works only inside a CoachFrame.");
  return coaching;
}

/**
 * Wraps the conversation. Sends the chosen type with the first message, and records which questions were
 * answered on this page.
 */
export function CoachFrame({ agent, isPast, children }: FrameProps) {
  const { sessionId } = agent;
  const [type, setType] = useState<SessionType>(KINDS[0].type);
  const [name, setName] = useName();
  const answered = useRef(new Set<string>());
  const isNew = sessionId === undefined;
  // Resets the choice: the next new conversation is an open one again.
  useEffect(() => {
    if (!isNew) setType(KINDS[0].type);
  }, [isNew]);
  const talking = useMemo(
    () => ({
      ...agent,
      send: ((text, options) =>
        agent.send(
          text,
          isNew ? { ...options, extra: beginning(type, name) } : options,
        )) satisfies typeof agent.send,
      pending: agent.pending.map((question) => ({
        ...question,
        answer: async (value: Json): Promise<boolean> => {
          answered.current.add(question.callId);
          const isAccepted = await question.answer(value);
          if (!isAccepted) answered.current.delete(question.callId);
          return isAccepted;
        },
      })),
    }),
    [agent, isNew, type, name],
  );
  const coaching = useMemo(
    () => ({ sessionId, type, setType, name, setName, answered: answered.current, isPast }),
    [sessionId, type, name, setName, isPast],
  );
  return <CoachingContext value={coaching}>{children(talking)}</CoachingContext>;
}

/** Returns the request fields of a first message: the session's type, the user's time zone and their name. */
function beginning(type: SessionType, name: string): JsonObject {
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? null;
  return { sessionType: type, timeZone, displayName: name.trim() === "" ? null : name.trim() };
}
