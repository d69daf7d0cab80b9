/**
 * A part of a message of the coach's earlier version. That version wrote its actions into the text, as
 * blocks.
 */
export type LegacyPart =
  | { type: "text"; text: string }
  | {
      type: "file_update";
      fileType: string;
      name?: string;
      attributes: Record<string, string>;
      content: string;
    }
  | { type: "suggested_replies"; replies: string[] }
  | { type: "day_plan"; data: unknown }
  | { type: "enter_mode"; mode: string }
  | { type: "session_complete" };

const PAIRED = ["FILE_UPDATE", "SUGGESTED_REPLIES", "DAY_PLAN_DATA"] as const;

/** A mark in a text, e.g. `[FILE_UPDATE type="domain"]`. Two marks enclose a block. */
interface Mark {
  kind: "open" | "close" | "single";
  name: string;
  /** The text after the mark's name, inside the brackets. */
  rest: string;
  at: number;
  end: number;
}

/**
 * Matches one mark. After its name comes a blank, a colon or the closing bracket, so `[FILE_UPDATES]` does
 * not match. A mark contains no line break: a line break can stand for a removed mark without forming a new
 * one. A mark contains no other bracket: the search takes linear time.
 */
const MARK =
  /\[(\/?)(FILE_UPDATE|SUGGESTED_REPLIES|DAY_PLAN_DATA|ENTER_MODE|SESSION_COMPLETE)(?=[\] \t:])([^[\]\r\n]{0,1000})\]/gi;

function* marksIn(text: string): Generator<Mark> {
  for (const match of text.matchAll(MARK)) {
    const [whole, slash, given = "", rest = ""] = match;
    const name = given.toUpperCase();
    const isPaired = (PAIRED as readonly string[]).includes(name);
    const kind = slash === "/" ? "close" : isPaired ? "open" : "single";
    yield { kind, name, rest, at: match.index, end: match.index + whole.length };
  }
}

/**
 * Splits a message into parts, for display. Parts have no effect: the earlier version saved what a block
 * shows. If a block has no end, only its mark is removed.
 *
 * @example
 * ```ts
 * import { legacyParts } from "@pawl/example-coach/legacy";
 *
 * const parts = legacyParts('Saved.\n[FILE_UPDATE type="domain" name="work"]\n# Work\n[/FILE_UPDATE]');
 * console.log(parts.map(({ type }) => type)); // [ "text", "file_update" ]
 * ```
 */
export function legacyParts(text: string): LegacyPart[] {
  const parts: LegacyPart[] = [];
  let done = 0;
  const say = (until: number): void => {
    const said = text.slice(done, until).trim();
    if (said !== "") parts.push({ type: "text", text: said });
  };
  for (const { mark, close } of blocksIn(text)) {
    say(mark.at);
    const inside = close === undefined ? "" : text.slice(mark.end, close.at);
    parts.push(...partOf(mark, inside, close !== undefined));
    done = (close ?? mark).end;
  }
  say(text.length);
  return parts;
}

/** Removes all blocks with their contents. The rest is the text for the user. */
export function withoutBlocks(text: string): string {
  return cut(
    text,
    blocksIn(text).map(({ mark, close }) => ({ at: mark.at, end: (close ?? mark).end })),
  );
}

/** Removes the marks and keeps the text between them, because a file's text is the user's own. */
export function withoutTags(text: string): string {
  return cut(text, [...marksIn(text)]);
}

/** Lists the kinds of marks in a text. */
export function legacyMarks(text: string): string[] {
  return [...new Set([...marksIn(text)].map(({ name }) => name))];
}

/** Finds the outermost blocks, each with its end if it has one. */
function blocksIn(text: string): { mark: Mark; close: Mark | undefined }[] {
  const marks = [...marksIn(text)];
  const closes = new Map<string, number[]>();
  for (const [index, { kind, name }] of marks.entries()) {
    if (kind === "close") listOf(closes, name).push(index);
  }
  return outermost(marks, closes);
}

function outermost(
  marks: readonly Mark[],
  closes: ReadonlyMap<string, readonly number[]>,
): { mark: Mark; close: Mark | undefined }[] {
  const found: { mark: Mark; close: Mark | undefined }[] = [];
  const next = new Map<string, number>();
  for (let index = 0; index < marks.length; index += 1) {
    const mark = marks[index] as Mark;
    const ends = mark.kind === "open" ? (closes.get(mark.name) ?? []) : [];
    let at = next.get(mark.name) ?? 0;
    while (at < ends.length && (ends[at] as number) < index) at += 1;
    next.set(mark.name, at);
    const end = ends[at];
    found.push({ mark, close: end === undefined ? undefined : marks[end] });
    if (end !== undefined) index = end;
  }
  return found;
}

/** Removes spans. Fills their gaps, so that the texts on both sides of a gap cannot form a new mark. */
function cut(text: string, spans: readonly { at: number; end: number }[]): string {
  if (spans.length === 0) return text;
  const pieces: string[] = [];
  let done = 0;
  for (const { at, end } of spans) {
    pieces.push(text.slice(done, at));
    done = end;
  }
  pieces.push(text.slice(done));
  return pieces.join("\n").trim();
}

function partOf({ kind, name, rest }: Mark, inside: string, isWhole: boolean): LegacyPart[] {
  if (kind === "close") return [];
  if (name === "SESSION_COMPLETE") return [{ type: "session_complete" }];
  if (name === "ENTER_MODE") return [{ type: "enter_mode", mode: rest.replace(/^\s*:/, "").trim() }];
  if (!isWhole) return [];
  if (name === "SUGGESTED_REPLIES") return [{ type: "suggested_replies", replies: repliesIn(inside) }];
  if (name === "DAY_PLAN_DATA") return [{ type: "day_plan", data: json(inside) ?? null }];
  const { type: fileType = "", name: fileName, ...attributes } = attributesIn(rest);
  return [
    {
      type: "file_update",
      fileType,
      ...(fileName !== undefined && { name: fileName }),
      attributes,
      content: inside.trim(),
    },
  ];
}

function attributesIn(rest: string): Record<string, string> {
  const pairs = [...rest.matchAll(/([a-z_]{1,40})="([^"]{0,500})"/gi)];
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name.toLowerCase(), value]));
}

/** Parses suggested replies: a JSON list, or one reply per line. */
function repliesIn(inside: string): string[] {
  const list = json(inside);
  const lines = Array.isArray(list) ? list.filter((one) => typeof one === "string") : inside.split("\n");
  return lines.map((line) => line.replace(/^\s*(?:[-*]|\d+\.)\s+/, "").trim()).filter((line) => line !== "");
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listOf(lists: Map<string, number[]>, name: string): number[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}
