import type { Source } from "../base/sources.ts";

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that questions are made of. Documents are not searched for them. */
export const questionWords: ReadonlySet<string> = set(`
  a about all am an and any anybody anyone anything are as at be been being but by can could did do does doing done
  find for found from get give going got had has have he her him his how i if in into is it its know last latest
  let like list look looking many may me might most much must my need new next no not of off on one or our ours
  out over people please said say saying says search see shall she should show some somebody someone something tell than
  that the their them then there these they thing things think thinks this those to told up us versus via want was
  we were what when where which who whom whose why will with would write wrote written you your s t re ve ll d`);

/** Words by which a question names a source. */
const sourceWords: ReadonlyMap<string, Source> = new Map<string, Source>([
  ...["mail", "mails", "email", "emails", "gmail", "inbox"].map((word) => [word, "gmail"] as const),
  ...["slack", "channel", "chat", "message", "messages"].map((word) => [word, "slack"] as const),
  ...["meeting", "meetings", "calendar", "appointment", "invite"].map((word) => [word, "calendar"] as const),
  ...["file", "files", "drive", "sheet", "spreadsheet", "deck", "slides", "pdf"].map(
    (word) => [word, "drive"] as const,
  ),
]);

/** The source that the first such word of a question names. */
export function sourceIn(words: readonly string[]): { source: Source; word: string } | undefined {
  for (const word of words) {
    const source = sourceWords.get(word);
    if (source !== undefined) return { source, word };
  }
  return undefined;
}
