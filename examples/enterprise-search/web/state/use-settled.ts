import type { UseAgent } from "@pawl/client/react";
import type { StoredEvent } from "@pawl/core";
import { useEffect, useRef, useState } from "react";

/** How long an opened conversation waits for its events, in milliseconds. */
const WAIT_MS = 1_000;

/**
 * Returns the agent without its messages while a conversation that was opened has no events yet. The plans
 * come from them, so they would push everything down under the reader's eyes.
 */
export function useSettled(agent: UseAgent, events: readonly StoredEvent[]): UseAgent {
  const { sessionId, messages } = agent;
  const opened = useRef<{ sessionId: string | undefined; waits: boolean }>(undefined);
  if (opened.current === undefined || opened.current.sessionId !== sessionId) {
    // A conversation that begins here has its first message already.
    opened.current = { sessionId, waits: sessionId !== undefined && messages.length === 0 };
  }
  const [first] = events;
  if (first?.seq === 1 && first.sessionId === sessionId) opened.current.waits = false;
  const [late, setLate] = useState<string>();
  const waits = opened.current.waits && messages.length > 0 && late !== sessionId;
  useEffect(() => {
    if (!waits) return;
    const timer = setTimeout(() => setLate(sessionId), WAIT_MS);
    return () => clearTimeout(timer);
  }, [waits, sessionId]);
  return waits ? { ...agent, messages: [], pending: [] } : agent;
}
