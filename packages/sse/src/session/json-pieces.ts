/** How many characters of text become one piece. */
const PIECE = 64 * 1024;

/** Collects text as pieces of bytes, so that a large body is never one text. */
export interface JsonPieces {
  add(text: string): void;
  /** Returns the pieces, the last one included. */
  all(): Uint8Array[];
  /** The bytes of all pieces. */
  readonly bytes: number;
}

export function newPieces(): JsonPieces {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let text = "";
  const flush = () => {
    if (text === "") return;
    const piece = encoder.encode(text);
    text = "";
    bytes += piece.length;
    pieces.push(piece);
  };
  return {
    add: (more) => {
      text += more;
      if (text.length >= PIECE) flush();
    },
    all: () => {
      flush();
      return pieces;
    },
    get bytes() {
      return bytes;
    },
  };
}

/** Adds an object as `JSON.stringify` does, the items of its lists one by one. */
export function addJson({ add }: Pick<JsonPieces, "add">, body: object): void {
  if (Array.isArray(body) || "toJSON" in body) {
    add(JSON.stringify(body));
    return;
  }
  let before = "{";
  for (const [name, value] of Object.entries(body)) {
    const text: string | undefined = Array.isArray(value) ? "" : JSON.stringify(value);
    if (text === undefined) continue;
    add(`${before}${JSON.stringify(name)}:${text}`);
    before = ",";
    if (Array.isArray(value)) addList(add, value);
  }
  add(before === "{" ? "{}" : "}");
}

function addList(add: (text: string) => void, list: readonly unknown[]): void {
  add("[");
  for (const [at, item] of list.entries()) add(`${at === 0 ? "" : ","}${JSON.stringify(item) ?? "null"}`);
  add("]");
}
