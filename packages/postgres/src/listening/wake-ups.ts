/** The maximum size of a notification's payload, in bytes. Postgres accepts less than 8,000. */
const MAX_BYTES = 7_800;

/**
 * A change of a session.
 *
 * - a number: the session has events up to this number
 * - `live`: its live state has changed
 * - `read`: the sender's process has readers for the session
 */
export type WakeUpEntry = readonly [sessionId: string, what: number | "live" | "read"];

/** A notification: the changes of any number of sessions, from one process. */
export interface WakeUp {
  /** Id of the process that sent it. */
  from: string;
  sessions: readonly WakeUpEntry[];
}

/** Packs entries into as few payloads as possible. A payload is the JSON `["sender",["session",seq],…]`. */
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

/** Parses a notification's payload. Returns `undefined` if another application sent it. */
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
