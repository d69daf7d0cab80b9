import { useEffect } from "react";

/** The session that the address names, e.g. `#s/4f2a…`. */
export function sessionInHash(): string | undefined {
  const id = /^#s\/(.+)$/.exec(location.hash)?.[1];
  try {
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

/** The address of a session, or of a new one. */
export function hashOf(sessionId: string | undefined): string {
  return sessionId === undefined ? "#" : `#s/${encodeURIComponent(sessionId)}`;
}

/**
 * Keeps the address and the open session together: a reload, a bookmark and the back button all lead to where one was.
 * `open` has to stay the same function.
 */
export function useSessionHash(sessionId: string | undefined, open: (id: string | undefined) => void): void {
  useEffect(() => {
    const follow = (): void => open(sessionInHash());
    follow();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [open]);
  useEffect(() => {
    // A session that has just begun gets its address without a step in the history.
    if (sessionId !== undefined && sessionInHash() === undefined) {
      history.replaceState(null, "", hashOf(sessionId));
    }
  }, [sessionId]);
}
