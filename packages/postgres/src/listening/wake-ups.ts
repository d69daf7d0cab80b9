/** Postgres takes less than 8,000 bytes in one notification; the rest is room for the sender. */
const MAX_BYTES = 7_800;

/**
 * What is said of a session: that there are events up to a number, that what is going on in it has changed
 * (`live`), or that its readers in the sender's process would like to see that (`read`).
 */
export type WakeUpEntry = readonly [sessionId: string, what: number | "live" | "read"];

/** What one sender says of any number of sessions. */
export interface WakeUp {
  from: string;
  sessions: readonly WakeUpEntry[];
}

/** Payloads of notifications, as few as will do: `["sender",["session",seq],…]`. */
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

/** What a payload says; `undefined` for what is none of ours. */
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
