/** The longest payload, in bytes. Postgres accepts less than 8,000. */
const MAX_BYTES = 7_800;

/**
 * News of a session: it has events up to a number, its live state has changed (`live`), or the sender's
 * process has readers for it (`read`).
 */
export type WakeUpEntry = readonly [sessionId: string, what: number | "live" | "read"];

/** A notification: one sender's news of any number of sessions. */
export interface WakeUp {
  from: string;
  sessions: readonly WakeUpEntry[];
}

/** Packs entries into as few payloads as possible: `["sender",["session",seq],…]`. */
export function wakeUps(from: string, sessions: Iterable<WakeUpEntry>): string[] {
  const sender = JSON.stringify(from);
  const payloads: string[] = [];
  let parts: string[] = [];
  let bytes = 0;
  const close = () => {
    if (parts.length > 0) payloads.push(`[${[sender, ...parts].join(",")}]`);
    parts = [];
    bytes = 0;
  };
  for (const entry of sessions) {
    const part = JSON.stringify(entry);
    const size = new TextEncoder().encode(part).length + 1;
    if (bytes + size > MAX_BYTES - sender.length) close();
    parts.push(part);
    bytes += size;
  }
  close();
  return payloads;
}

/** Parses a payload; `undefined` if it is not one of ours. */
export function parseWakeUp(payload: string): WakeUp | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(payload);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed)) return undefined;
  const [from, ...rest] = parsed as unknown[];
  const sessions = rest.filter(isEntry);
  return typeof from === "string" ? { from, sessions } : undefined;
}

function isEntry(entry: unknown): entry is [string, number | "live" | "read"] {
  if (!Array.isArray(entry) || typeof entry[0] !== "string") return false;
  const what: unknown = entry[1];
  return what === "live" || what === "read" || (Number.isSafeInteger(what) && (what as number) > 0);
}
