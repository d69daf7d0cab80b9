import type { LiveEvent } from "../log/store/live-event.ts";
import type { LiveState, LiveTail } from "../log/store/live-tail.ts";
import { addDeltas, newReader, type ReaderState } from "./cursor.ts";

/** Shows one reader the text of the sub-agents that work on a session's calls. */
export interface AgentsBelow {
  /**
   * Adds to `news` the text of sub-agents that the reader has not been shown yet. New text of these
   * sub-agents then wakes the reader.
   */
  addNews(news: LiveEvent[], live: LiveState | undefined): void;
  close(): void;
}

/** Follows the sub-agents of a session. The text of each is read from the sub-agent's own session. */
export function agentsBelow(tail: LiveTail, ring: () => void): AgentsBelow {
  /** The sub-agents that are followed, by the id of their session. */
  let followed: Map<string, { seen: ReaderState; leave: () => void }> | undefined;
  const follow = (sessionId: string) => {
    followed ??= new Map();
    const subAgent = { seen: newReader(undefined), leave: tail.subscribe(sessionId, ring) };
    followed.set(sessionId, subAgent);
    return subAgent;
  };
  /** Stops following all sub-agents but those of these sessions. */
  const leaveOthers = (sessionIds: readonly string[]) => {
    if (followed === undefined) return;
    for (const [id, { leave }] of followed) {
      if (sessionIds.includes(id)) continue;
      leave();
      followed.delete(id);
    }
  };
  return {
    addNews(news, live) {
      const agents = live === undefined ? [] : [...live.agents];
      leaveOthers(agents.map(([, { session_id }]) => session_id));
      for (const [call_id, agent] of agents) {
        const subAgent = followed?.get(agent.session_id) ?? follow(agent.session_id);
        for (const { type, data } of newText(tail.peek(agent.session_id).live, subAgent))
          if (type === "text_delta") news.push({ type: "agent_delta", data: { ...data, call_id, ...agent } });
      }
    },
    close: () => leaveOthers([]),
  };
}

/**
 * Returns the text of a sub-agent's answer after the reader's position, and moves the position. A new answer
 * is returned from its beginning.
 */
function newText(live: LiveState | undefined, reader: { seen: ReaderState }): LiveEvent[] {
  const news: LiveEvent[] = [];
  if (live === undefined || live.attempt === 0) return news;
  const { attempt } = live;
  if (reader.seen.attempt !== attempt) reader.seen = { ...newReader(undefined), attempt };
  addDeltas(news, live, reader.seen);
  return news;
}
