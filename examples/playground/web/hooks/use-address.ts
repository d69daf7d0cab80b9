import { useEffect, useRef, useSyncExternalStore } from "react";

/** The current agent and conversation. Without `sessionId`, the conversation is new. */
export interface Address {
  agent: string;
  sessionId?: string | undefined;
}

/**
 * The agent of the address without a hash. Addresses of its sessions begin with `s`, those of other agents
 * with the agent's name.
 */
export const FIRST = "coach";
/** In place of an agent's name, the page of the fleet. */
export const FLEET = "fleet";
const SESSION = "s";

/** Parses a hash, e.g. `#s/4f2a…`, `#trainer` or `#trainer/4f2a…`. */
export function addressIn(hash: string): Address {
  const [, place = "", id] = /^#([\w-]*)(?:\/(.+))?$/.exec(hash) ?? [];
  const agent = place === "" || place === SESSION ? FIRST : place;
  try {
    return { agent, sessionId: id === undefined ? undefined : decodeURIComponent(id) };
  } catch {
    return { agent };
  }
}

/** Returns the hash of an address. */
export function hashOf({ agent, sessionId }: Address): string {
  const isFirst = agent === FIRST;
  if (sessionId === undefined) return isFirst ? "#" : `#${agent}`;
  return `#${isFirst ? SESSION : agent}/${encodeURIComponent(sessionId)}`;
}

function subscribe(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

/** Returns the agent of the current address. */
export function useAgentName(): string {
  return useSyncExternalStore(subscribe, () => addressIn(location.hash).agent);
}

/**
 * Keeps the address and the open session in sync, so that a reload, a bookmark and the back button lead to
 * the right session. `open` must be a stable function.
 */
export function useSessionAddress(
  agent: string,
  sessionId: string | undefined,
  open: (id: string | undefined) => void,
): void {
  const followed = useRef("");
  useEffect(() => {
    const follow = (): void => {
      followed.current = location.href;
      const address = addressIn(location.hash);
      // The pages of other agents handle their addresses.
      if (address.agent === agent) open(address.sessionId);
    };
    follow();
    return subscribe(follow);
  }, [agent, open]);
  useEffect(() => {
    // The user has just gone elsewhere, and the event of that is about to arrive.
    if (location.href !== followed.current) return;
    const address = addressIn(location.hash);
    // The address of a new session replaces the current entry of the browser's history.
    if (sessionId !== undefined && address.agent === agent && address.sessionId === undefined) {
      history.replaceState(null, "", hashOf({ agent, sessionId }));
      followed.current = location.href;
    }
  }, [agent, sessionId]);
}
