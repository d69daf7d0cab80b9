import type { ViewMessage, ViewPart } from "@pawl/core/view";
import { createContext, useContext } from "react";
import type { Cited } from "../markdown/cited.ts";

/** A source as it is listed below an answer. */
interface ListedSource {
  id: string;
  title: string;
  /** An http or https address. */
  url?: string;
  /** The words that the answer cites. */
  quote?: string;
}

/** Returns the sources of a message, each once: first those that its text cites, in that order. */
export function sourcesOf({ parts }: Pick<ViewMessage, "parts">): ListedSource[] {
  const found = new Map(parts.flatMap((part) => (part.type === "source" ? [[part.id, part] as const] : [])));
  const all = new Map<string, ListedSource>();
  for (const { source, title, text } of parts.flatMap(citationsIn)) {
    const id = source ?? title ?? "";
    const { url = addressIn(source), title: known } = found.get(id) ?? {};
    const listed = { id, title: known ?? title ?? id, quote: text, ...(url !== undefined && { url }) };
    if (!all.has(id)) all.set(id, listed);
  }
  for (const [id, { title, url }] of found)
    if (!all.has(id)) all.set(id, { id, title, ...(url !== undefined && { url }) });
  return [...all.values()];
}

function citationsIn(part: ViewPart) {
  return part.type === "text" ? (part.citations ?? []) : [];
}

/** Only these may be links: a source's name may be any text. */
function addressIn(source: string | null): string | undefined {
  return source !== null && /^https?:\/\//.test(source) ? source : undefined;
}

export function SourceLink({ title, url }: Pick<ListedSource, "title" | "url">) {
  if (url === undefined) return <span>{title}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {title}
    </a>
  );
}

/** The sources of the message that is shown, for the marks in its text. */
export const SourcesContext = createContext<readonly ListedSource[]>([]);

// Private characters: a model does not write them, and Markdown leaves them as they are.
const [BEGIN, END] = ["\ue000", "\ue001"];

/** The marks that {@link joinedTexts} puts into a text. */
export const CITATIONS: Cited = {
  pattern: new RegExp(`${BEGIN}\\d+${END}`, "g"),
  Mark: ({ text }) => <Mark number={Number(text.slice(1, -1))} />,
};

function Mark({ number }: { number: number }) {
  const { title, url } = useContext(SourcesContext)[number - 1] ?? {};
  if (title === undefined) return null;
  return (
    <sup className="cited" data-testid="cited" title={title}>
      {url === undefined ? number : <SourceLink title={String(number)} url={url} />}
    </sup>
  );
}

/**
 * Joins the neighbouring texts of an answer: a model that cites begins a new text with each cited statement.
 * A mark with the number of the source follows the words that cite it.
 */
export function joinedTexts(parts: readonly ViewPart[], sources: readonly ListedSource[]): ViewPart[] {
  const joined: ViewPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type !== "text") {
      joined.push(part);
      continue;
    }
    const ids = new Set(citationsIn(part).map(({ source, title }) => source ?? title ?? ""));
    const marks = [...ids].map((id) => `${BEGIN}${sources.findIndex((one) => one.id === id) + 1}${END}`);
    const text = `${part.text}${marks.join("")}`;
    const isNext = last?.type === "text" && answerOf(last) === answerOf(part);
    if (isNext) joined[joined.length - 1] = { ...last, text: last.text + text, open: part.open };
    else joined.push(marks.length === 0 ? part : { ...part, text });
  }
  return joined;
}

function answerOf({ key }: ViewPart): string {
  return key.slice(0, key.indexOf(":"));
}
