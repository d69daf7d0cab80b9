import { useEffect, useSyncExternalStore } from "react";

/** Where one is: with which agent, and in which of its conversations, if not in a new one. */
export interface Address {
  agent: string;
  sessionId?: string | undefined;
}

/**
 * The agent at the bare address. The addresses of its sessions begin with `s`, those of the others' with
 * their names.
 */
export const FIRST = "coach";
const SESSION = "s";

/** What a hash names, e.g. `#s/4f2a…`, `#trainer` or `#trainer/4f2a…`. */
export function addressIn(hash: string): Address {
  const [, place = "", id] = /^#([\w-]*)(?:\/(.+))?$/.exec(hash) ?? [];
  const agent = place === "" || place === SESSION ? FIRST : place;
  try {
    return { agent, sessionId: id === undefined ? undefined : decodeURIComponent(id) };
  } catch {
    return { agent };
  }
}

/** The address of a session, or of a new one. */
export function hashOf({ agent, sessionId }: Address): string {
  const isFirst = agent === FIRST;
  if (sessionId === undefined) return isFirst ? "#" : `#${agent}`;
  return `#${isFirst ? SESSION : agent}/${encodeURIComponent(sessionId)}`;
}

function subscribe(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

/** The agent that the address names. */
export function useAgentName(): string {
  return useSyncExternalStore(subscribe, () => addressIn(location.hash).agent);
}

/**
 * Keeps the address and the agent's open session together: a reload, a bookmark and the back button all lead
 * to where one was. `open` has to stay the same function.
 */
export function useSessionAddress(
  agent: string,
  sessionId: string | undefined,
  open: (id: string | undefined) => void,
): void {
  useEffect(() => {
    const follow = (): void => {
      const address = addressIn(location.hash);
      // Another agent's address is for its own page.
      if (address.agent === agent) open(address.sessionId);
    };
    follow();
    return subscribe(follow);
  }, [agent, open]);
  useEffect(() => {
    const address = addressIn(location.hash);
    // A session that has just begun gets its address without a step in the history.
    if (sessionId !== undefined && address.agent === agent && address.sessionId === undefined) {
      history.replaceState(null, "", hashOf({ agent, sessionId }));
    }
  }, [agent, sessionId]);
}
