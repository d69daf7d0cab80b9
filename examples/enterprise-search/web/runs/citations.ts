import type { ViewMessage } from "@pawl/core/view";
import { fieldsOf, listOf, numberOf, textOf } from "../base/read.ts";

const ID = "(?:gmail|slack|calendar|drive)-[\\w-]{1,90}";

/** Matches citations: one or more ids of documents in square brackets. */
export const CITED = new RegExp(`\\[${ID}(?:\\s*[,;]\\s*${ID})*\\]`, "g");

/** Returns the ids in a citation. */
export function idsIn(citation: string): string[] {
  return citation.match(new RegExp(ID, "g")) ?? [];
}

/** Returns the ids that a text cites, in the order of their first citation: the first has the number 1. */
export function citedIn(text: string): string[] {
  return [...new Set((text.match(CITED) ?? []).flatMap(idsIn))];
}

/** Removes the beginning of a citation that is still being written, so that it does not flicker. */
export function withoutPartial(text: string): string {
  return text.replace(/\s?\[[a-z]{0,8}(?:-[\w-]{0,90}(?:[,;][\w\s-]{0,90})?)?$/, "");
}

/** Replaces citations by words, for screen readers. */
export function spoken(text: string): string {
  const numbers = new Map(citedIn(text).map((id, at) => [id, at + 1]));
  return text.replace(CITED, (citation) => {
    const own = idsIn(citation).map((id) => numbers.get(id));
    return `(${own.length === 1 ? "source" : "sources"} ${own.join(", ")})`;
  });
}

/** A document that a search has found, as its result describes it. */
export interface FoundDocument {
  id: string;
  source: string;
  title: string;
  owner: string;
  initials: string;
  at: string;
  /** The found words, without repetition. */
  words: readonly string[];
}

/** Returns the results of a conversation's calls. Calls that have not changed have the same results. */
export function resultsIn(messages: readonly ViewMessage[]): unknown[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool" && part.phase === "done" ? [part.result] : [])),
  );
}

/** Returns the documents in results, by id. */
export function foundIn(results: readonly unknown[]): ReadonlyMap<string, FoundDocument> {
  const found = new Map<string, FoundDocument>();
  for (const result of results)
    for (const hit of [...listOf(fieldsOf(result).get("results")), result]) {
      const one = documentOf(hit);
      if (one === undefined) continue;
      const words = new Set([...(found.get(one.id)?.words ?? []), ...one.words]);
      found.set(one.id, { ...one, words: [...words].slice(0, MOST_WORDS) });
    }
  return found;
}

/** The most words that are marked, and the longest. */
const MOST_WORDS = 40;
const LONGEST = 60;

function documentOf(value: unknown): FoundDocument | undefined {
  const hit = fieldsOf(value);
  const [id, source] = [textOf(hit.get("id")), textOf(hit.get("source"))];
  if (id === "" || source === "") return undefined;
  const owner = fieldsOf(hit.get("owner"));
  return {
    ...{ id, source, title: textOf(hit.get("title")), at: textOf(hit.get("at")) },
    ...{ owner: textOf(owner.get("name")), initials: textOf(owner.get("initials")) },
    words: wordsIn(hit.get("fragment")),
  };
}

function wordsIn(fragment: unknown): string[] {
  const fields = fieldsOf(fragment);
  const text = textOf(fields.get("text"));
  const words = listOf(fields.get("marks")).map((value) => {
    const mark = fieldsOf(value);
    return text.slice(numberOf(mark.get("start")), numberOf(mark.get("end"))).toLowerCase();
  });
  return [...new Set(words.filter((word) => word !== "" && word.length <= LONGEST))];
}
