/** Postgres takes less than 8,000 bytes in one notification; the rest is room for the sender. */
const MAX_BYTES = 7_800;

/** "There are events up to `seq`", of one sender, for any number of sessions. */
export interface WakeUp {
  from: string;
  sessions: readonly (readonly [sessionId: string, seq: number])[];
}

/** Payloads of notifications, as few as will do: `["sender",["session",seq],…]`. */
export function wakeUps(from: string, sessions: ReadonlyMap<string, number>): string[] {
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

function isEntry(entry: unknown): entry is [string, number] {
  return (
    Array.isArray(entry) && typeof entry[0] === "string" && Number.isSafeInteger(entry[1]) && entry[1] > 0
  );
}
