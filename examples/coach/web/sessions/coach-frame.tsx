import type { Json, JsonObject } from "@pawl/core";
import { createContext, useContext, useEffect, useMemo, useRef, useState } from "react";
import type { SessionType } from "../../src/sessions/session-types.ts";
import type { FrameProps } from "../base/seam.ts";
import { KINDS } from "./kinds.ts";

/** What the parts of one conversation have in common. */
interface Coaching {
  sessionId: string | undefined;
  /** What a conversation that is not begun yet will be. */
  type: SessionType;
  setType(type: SessionType): void;
  /** The questions that were answered here, by call. */
  answered: ReadonlySet<string>;
  /** What is shown is not what was said last. */
  isPast: boolean;
}

const CoachingContext = createContext<Coaching | undefined>(undefined);

export function useCoaching(): Coaching {
  const coaching = useContext(CoachingContext);
  if (coaching === undefined) throw new Error("There is no coaching around this.");
  return coaching;
}

/**
 * Around the conversation: it says with the first message what kind of session begins, and knows what was
 * answered here.
 */
export function CoachFrame({ agent, messages, children }: FrameProps) {
  const { sessionId } = agent;
  const [type, setType] = useState<SessionType>(KINDS[0].type);
  const answered = useRef(new Set<string>());
  const isPast = messages !== agent.messages;
  const isNew = sessionId === undefined;
  // The next one begins as an open conversation again.
  useEffect(() => {
    if (!isNew) setType(KINDS[0].type);
  }, [isNew]);
  const talking = useMemo(
    () => ({
      ...agent,
      send: (text: string) => agent.send(text, isNew ? { extra: beginning(type) } : {}),
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
    [agent, isNew, type],
  );
  const coaching = useMemo(
    () => ({ sessionId, type, setType, answered: answered.current, isPast }),
    [sessionId, type, isPast],
  );
  return <CoachingContext value={coaching}>{children(talking)}</CoachingContext>;
}

/** What the server cannot know of a session that begins. */
function beginning(type: SessionType): JsonObject {
  return { sessionType: type, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? null };
}
