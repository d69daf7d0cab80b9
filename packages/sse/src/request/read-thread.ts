import { bodyOf, checkIsJson, parseInTurn, parseJson, tooLarge } from "./read-json.ts";
import { splitThread } from "./split-thread.ts";

/**
 * A message in a client's thread before the last ones. Both fields are absent if the message was too large to
 * parse.
 */
export interface EarlierMessage {
  id?: string;
  role?: string;
}

/** A body of which only the end of the thread was kept. */
export interface ThreadBody {
  body: unknown;
  /** The messages before those in the body, at most {@link MAX_EARLIER}, oldest first. */
  earlier: readonly EarlierMessage[];
}

/** Limits for the parts of a body, in bytes. */
export interface ThreadLimits {
  /** The maximum size of the last messages and all other fields, which are kept. */
  maxBodyBytes: number;
  /** The maximum size of the earlier messages, which are read but not kept. */
  maxHistoryBytes: number;
}

/**
 * The maximum number of earlier messages whose id and role are kept. Also the maximum number of tool results
 * that are kept before the last message.
 */
export const MAX_EARLIER = 200;

/** The maximum number of messages in a thread. Even a short message takes time to read. */
const MAX_MESSAGES = 100_000;

/**
 * Reads the body of a client that sends its whole thread in the list `field`. Keeps the last message, with
 * the messages of the role `tool` right before it, and the ids and roles of earlier ones. Reads the body as a
 * stream and holds at most three times `maxBodyBytes` in memory.
 *
 * @throws HTTPException 415 for another content type, 413 for too many bytes, 400 for invalid JSON.
 */
export async function readThread(
  request: Request,
  field: string,
  { maxBodyBytes, maxHistoryBytes }: ThreadLimits,
): Promise<ThreadBody> {
  checkIsJson(request);
  const tooLong = () => tooLarge(`The history may have at most ${maxHistoryBytes} bytes. Begin a new chat.`);
  const tooMuch = () =>
    tooLarge(`A message and all fields besides the history may have at most ${maxBodyBytes} bytes.`);
  const outside = pieces(maxBodyBytes);
  const tail = threadTail(maxBodyBytes);
  const take = splitThread(field, {
    outside: (piece) => {
      if (!outside.add(piece)) throw tooMuch();
    },
    listBegins: tail.begin,
    item: tail.add,
    itemEnds: tail.end,
  });
  for await (const chunk of bodyOf(request, maxBodyBytes + maxHistoryBytes, tooLong)) take(chunk);
  const { text = "", bytes } = outside.take();
  const body = await parseInTurn(text);
  const kept = tail.kept(maxBodyBytes - bytes);
  if (kept === undefined) throw tooMuch();
  const { messages, earlier } = kept;
  const sent = asObject(body);
  // A later key of the same name may have replaced the list.
  if (!Object.hasOwn(sent, field) || !Array.isArray(sent[field])) return { body, earlier: [] };
  return { body: { ...sent, [field]: messages }, earlier };
}

interface Kept {
  message: unknown;
  bytes: number;
}

/** Reads the messages of a list one by one, and keeps the last ones. */
function threadTail(maxBytes: number) {
  // JSON does not allow a byte order mark in the middle of a body.
  const current = pieces(maxBytes, { ignoreBOM: true });
  let all = 0;
  let count = 0;
  let tail: Kept[] = [];
  let tailBytes = 0;
  let earlier: EarlierMessage[] = [];
  const drop = (some: readonly Kept[]) => {
    for (const { message, bytes } of some) {
      earlier.push(named(message));
      tailBytes -= bytes;
    }
    // Trims 200 messages at once, so that the cost of `slice` is amortised.
    if (earlier.length > 2 * MAX_EARLIER) earlier = earlier.slice(-MAX_EARLIER);
  };
  const fit = (room: number) => {
    while (tail.length > 1 && (tailBytes > room || tail.length > MAX_EARLIER)) drop(tail.splice(0, 1));
    return tailBytes <= room;
  };
  return {
    begin: () => {
      count = 0;
      tail = [];
      tailBytes = 0;
      earlier = [];
    },
    add: (piece: Uint8Array) => void current.add(piece),
    end: (isLast: boolean) => {
      const { text, bytes } = current.take();
      if (isLast && count === 0 && /^[ \t\n\r]*$/.test(text ?? "-")) return;
      count += 1;
      all += 1;
      if (all > MAX_MESSAGES)
        throw tooLarge(`The history may have at most ${MAX_MESSAGES} messages. Begin a new chat.`);
      const message = text === undefined ? TOO_LARGE : parseJson(text);
      if (roleOf(message) !== "tool") drop(tail.splice(0));
      tail.push({ message, bytes });
      tailBytes += bytes;
      fit(maxBytes);
    },
    /** Returns the messages that fit in this many bytes; `undefined` if not even the last one fits. */
    kept: (room: number) => {
      if (!fit(room)) return undefined;
      const messages = tail.map(({ message }) => message);
      return { messages, earlier: earlier.slice(-MAX_EARLIER) };
    },
  };
}

/** Stands in for a message that exceeds the limit for kept data. */
const TOO_LARGE = {};

function named(message: unknown): EarlierMessage {
  const { id } = asObject(message);
  const role = roleOf(message);
  return {
    ...(typeof id === "string" && id.length <= 200 && { id }),
    ...(role !== undefined && role.length <= 200 && { role }),
  };
}

function roleOf(message: unknown): string | undefined {
  const { role } = asObject(message);
  return typeof role === "string" ? role : undefined;
}

function asObject(value: unknown): { [field: string]: unknown } {
  return value !== null && typeof value === "object" ? (value as { [field: string]: unknown }) : {};
}

/** Decodes bytes to a text of at most `maxBytes`. Counts all bytes, also those above the limit. */
function pieces(maxBytes: number, options: { ignoreBOM?: boolean } = {}) {
  const decoder = new TextDecoder("utf-8", options);
  let text = "";
  let bytes = 0;
  return {
    /** Adds bytes. Returns whether all bytes so far are within the limit. */
    add: (piece: Uint8Array): boolean => {
      bytes += piece.byteLength;
      text = bytes > maxBytes ? "" : text + decoder.decode(piece, { stream: true });
      return bytes <= maxBytes;
    },
    /** Returns the text, and starts over. The text is absent if there were too many bytes. */
    take: (): { text: string | undefined; bytes: number } => {
      const all = text + decoder.decode();
      const taken = { text: bytes > maxBytes ? undefined : all, bytes };
      text = "";
      bytes = 0;
      return taken;
    },
  };
}
