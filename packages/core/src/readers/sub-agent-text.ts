import type { LiveEvent } from "../log/store/live-event.ts";
import type { LiveState, LiveTail } from "../log/store/live-tail.ts";
import { addDeltas, newReader, type ReaderState } from "./cursor.ts";

/** Shows one reader the text of the sub-agents that do the work of a session's calls. */
export interface AgentsBelow {
  /**
   * Adds the text of the sub-agents that the reader has not been shown yet to `news`. Later text wakes the
   * reader.
   */
  addNews(news: LiveEvent[], live: LiveState | undefined): void;
  close(): void;
}

/** Follows the sub-agents of a session. Each writes in its own session, from which its text is read. */
export function agentsBelow(tail: LiveTail, ring: () => void): AgentsBelow {
  let read: Map<string, { seen: ReaderState; leave: () => void }> | undefined;
  const begin = (sessionId: string) => {
    read ??= new Map();
    const one = { seen: newReader(undefined), leave: tail.subscribe(sessionId, ring) };
    read.set(sessionId, one);
    return one;
  };
  const leaveAllBut = (still: readonly string[]) => {
    if (read === undefined) return;
    for (const [id, { leave }] of read) {
      if (still.includes(id)) continue;
      leave();
      read.delete(id);
    }
  };
  return {
    addNews(news, live) {
      const agents = live === undefined ? [] : [...live.agents];
      leaveAllBut(agents.map(([, { session_id }]) => session_id));
      for (const [call_id, at] of agents) {
        const one = read?.get(at.session_id) ?? begin(at.session_id);
        for (const { type, data } of newText(tail.peek(at.session_id).live, one))
          if (type === "text_delta") news.push({ type: "agent_delta", data: { ...data, ...at, call_id } });
      }
    },
    close: () => leaveAllBut([]),
  };
}

/**
 * Returns the text of a sub-agent's answer after the reader's position; all of it if the answer is a new one.
 */
function newText(live: LiveState | undefined, reader: { seen: ReaderState }): LiveEvent[] {
  const news: LiveEvent[] = [];
  if (live === undefined || live.attempt === 0) return news;
  const { attempt } = live;
  if (reader.seen.attempt !== attempt) reader.seen = { ...newReader(undefined), attempt };
  addDeltas(news, live, reader.seen);
  return news;
}
