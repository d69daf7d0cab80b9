import { givingWay } from "@pawl/core/store";

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

/** Adds an object as `JSON.stringify` does, the items of its lists one by one. Gives way between them. */
export async function addJson({ add }: Pick<JsonPieces, "add">, body: object): Promise<void> {
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
    if (Array.isArray(value)) await addList(add, value);
  }
  add(before === "{" ? "{}" : "}");
}

async function addList(add: (text: string) => void, list: readonly unknown[]): Promise<void> {
  let before = "[";
  for await (const item of givingWay(list)) {
    add(`${before}${JSON.stringify(item) ?? "null"}`);
    before = ",";
  }
  add(before === "[" ? "[]" : "]");
}
