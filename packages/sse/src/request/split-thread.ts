const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Callbacks of {@link splitThread}. The pieces are views of the chunks that were written. */
export interface ThreadPieces {
  /** A piece of the body outside the list's items. */
  outside(piece: Uint8Array): void;
  /** The list begins. Called again if its key is repeated. */
  listBegins(): void;
  /** A piece of an item, including surrounding whitespace. */
  item(piece: Uint8Array): void;
  /** The item ends. `isLast` at the list's end, where an item of whitespace only does not count. */
  itemEnds(isLast: boolean): void;
}

/**
 * Separates the items of one list from the rest of a JSON object. `field` names the list. Works on the raw
 * bytes and builds no values. Does not validate the JSON: the caller has to parse the pieces.
 *
 * @returns the function that takes the body's chunks.
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

/** Finds the strings in JSON, one piece per chunk, and calls back for every byte outside strings. */
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

/** Compares the last string with a name, whether or not its characters are escaped. */
function keyReader(name: string) {
  // A character is six bytes at most, as in `\u006d`.
  const longest = name.length * 6 + 2;
  let bytes: number[] = [];
  return {
    take: (piece: Uint8Array, isBeginning: boolean) => {
      if (isBeginning) bytes = [];
      // One extra byte is enough to tell the names apart.
      bytes.push(...piece.subarray(0, longest + 1 - bytes.length));
    },
    matches: () => {
      try {
        return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes))) === name;
      } catch {
        return false;
      }
    },
  };
}
