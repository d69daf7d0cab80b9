const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The callbacks of {@link splitThread}. Pieces are views of the chunks, so copy those that you keep. */
export interface ThreadPieces {
  /** Called with a piece of the body outside the list's items. */
  outside(piece: Uint8Array): void;
  /** Called when the list begins. Called again if the list's key is repeated. */
  listBegins(): void;
  /** Called with a piece of an item, including surrounding whitespace. */
  item(piece: Uint8Array): void;
  /**
   * Called when an item ends. With `isLast` the list ends too; an item that is only whitespace then does not
   * count.
   */
  itemEnds(isLast: boolean): void;
}

/**
 * Separates the items of one list from the rest of a JSON object, in raw bytes. `field` is the list's key.
 * Returns the function to call with each chunk. Does not validate the JSON: the caller has to parse the
 * pieces.
 */
export function splitThread(field: string, found: ThreadPieces): (chunk: Uint8Array) => void {
  const key = keyReader(field);
  let chunk: Uint8Array;
  let from = 0;
  let depth = 0;
  let inList = false;
  let isNamed = false;
  const flush = (to: number) => {
    if (to > from) found[inList ? "item" : "outside"](chunk.subarray(from, to));
    from = to;
  };
  const open = (isList: boolean, at: number) => {
    depth += 1;
    if (depth !== 2 || !isNamed || !isList) return;
    flush(at + 1);
    inList = true;
    found.listBegins();
  };
  const close = (at: number) => {
    depth -= 1;
    if (depth !== 1 || !inList) return;
    flush(at);
    inList = false;
    found.itemEnds(true);
  };
  const comma = (at: number) => {
    if (depth === 1) isNamed = false;
    if (depth !== 2 || !inList) return;
    flush(at);
    from = at + 1;
    found.itemEnds(false);
  };
  const scan = scanner({
    byte: (byte, at) => {
      if (byte === COMMA) comma(at);
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) open(byte === OPEN_LIST, at);
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) close(at);
      else if (byte === COLON && depth === 1) isNamed = key.matches();
    },
    string: (start, end, isBeginning) => {
      if (depth === 1) key.take(chunk.subarray(start, end), isBeginning);
    },
  });
  return (next) => {
    chunk = next;
    from = 0;
    scan(next);
    flush(next.length);
  };
}

/**
 * Calls back for each string in JSON (once for each chunk that has a part of it) and for each byte outside
 * strings.
 */
function scanner(found: {
  byte(byte: number, at: number): void;
  string(start: number, end: number, isBeginning: boolean): void;
}): (chunk: Uint8Array) => void {
  let inString = false;
  let isEscaped = false;
  const endOfString = (chunk: Uint8Array, start: number): number => {
    let at = start;
    for (; inString && at < chunk.length; at += 1) {
      inString = isEscaped || chunk[at] !== QUOTE;
      isEscaped = !isEscaped && chunk[at] === BACKSLASH;
    }
    return at;
  };
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      const start = at;
      const isBeginning = !inString;
      if (isBeginning) {
        inString = chunk[at] === QUOTE;
        at += 1;
      }
      if (inString) {
        at = endOfString(chunk, at);
        found.string(start, at, isBeginning);
      } else if (isBeginning) found.byte(chunk[start] as number, start);
    }
  };
}

/** Compares the latest string with a name. Characters of the string may be escaped. */
function keyReader(name: string) {
  const plain = new TextEncoder().encode(JSON.stringify(name));
  // An escaped character has up to six bytes, e.g. `\u006d`. One extra byte is enough to see that a longer
  // string is not the name.
  const bytes = new Uint8Array(name.length * 6 + 3);
  let length = 0;
  return {
    take: (piece: Uint8Array, isBeginning: boolean) => {
      if (isBeginning) length = 0;
      for (let at = 0; at < piece.length && length < bytes.length; at += 1, length += 1)
        bytes[length] = piece[at] as number;
    },
    matches: () => {
      const given = bytes.subarray(0, length);
      // Few keys are escaped, and a body may have 100,000.
      if (!given.includes(BACKSLASH))
        return length === plain.length && given.every((byte, at) => byte === plain[at]);
      try {
        return length < bytes.length && JSON.parse(new TextDecoder().decode(given)) === name;
      } catch {
        return false;
      }
    },
  };
}
