import { type FunctionComponent, memo } from "react";
import { type LegacyPart, legacyParts } from "../../src/legacy/blocks.ts";
import type { MarkdownView } from "../base/seam.ts";
import { titleOfType } from "../files/titles.ts";
import { labelOf } from "../sessions/kinds.ts";

/**
 * Creates the component that shows the coach's text. Blocks of the earlier version become small cards or
 * nothing. An incomplete block is hidden while the text is being written.
 */
export function words(Markdown: MarkdownView): FunctionComponent<{ text: string; open: boolean }> {
  return memo(function Words({ text, open }) {
    const shown = open ? withoutBeginning(text) : text;
    if (!shown.includes("[")) return <Markdown text={shown} />;
    return legacyParts(shown).map((part, at) =>
      part.type === "text" ? <Markdown key={at} text={part.text} /> : <Card key={at} part={part} />,
    );
  });
}

/** Matches a text's end that may become a mark. */
const HALF_MARK = /\[\/?[A-Z_]{0,16}(?:[: \t][^\]\r\n]{0,1000})?$/i;
const BEGUN = /\[(FILE_UPDATE|SUGGESTED_REPLIES|DAY_PLAN_DATA)(?=[\] \t:])[^\]\r\n]{0,1000}\]/gi;

export function withoutBeginning(text: string): string {
  const upper = text.toUpperCase();
  for (const { 1: name = "", index } of text.matchAll(BEGUN)) {
    const end = upper.indexOf(`[/${name.toUpperCase()}`, index);
    if (end === -1 || !upper.includes("]", end)) return text.slice(0, index).trimEnd();
  }
  const tail = text.slice(-1_100);
  const at = tail.search(HALF_MARK);
  return at === -1 ? text : text.slice(0, text.length - tail.length + at).trimEnd();
}

function Card({ part }: { part: Exclude<LegacyPart, { type: "text" }> }) {
  const said = sayingOf(part);
  return said === undefined ? null : (
    <p className="legacy-card" data-testid="legacy-card">
      {said}
    </p>
  );
}

/** Returns the text of a block's card; `undefined` for suggested replies, which get no card. */
function sayingOf(part: Exclude<LegacyPart, { type: "text" }>): string | undefined {
  switch (part.type) {
    case "file_update":
      return `Saved: ${titleOfType(part.fileType)}${part.name === undefined ? "" : ` · ${part.name}`}`;
    case "day_plan":
      return "A plan for the day";
    case "enter_mode":
      return part.mode === "" ? undefined : labelOf(part.mode);
    case "session_complete":
      return "Session complete";
    default:
      return undefined;
  }
}
