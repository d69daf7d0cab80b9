import { wordsOf } from "../data/words.ts";
import { ASKING } from "./fitting.ts";

/** Whom a message means: a person, everybody, nobody who is known, or somebody that the user must name. */
export interface Meant {
  /** The full name of the person that the user has chosen or described. */
  person?: string;
  /** Why nobody is meant, for the user. */
  nobody?: string;
  question?: { text: string; about?: string };
}

/**
 * Reads whom a message means, from what the planner knows: people by their names, and the user's answers.
 * `message` is the newest message, so a question that was left open is not asked again.
 */
export function meantIn(tags: ReadonlyMap<string, string>, message: string): Meant {
  const said = new Set(wordsOf(message));
  for (const [, word = "", list = ""] of (tags.get("Facts") ?? "").matchAll(
    /^- People called "([^"]+)": (.*)$/gm,
  )) {
    const people = list.split("; ");
    const names = people.map(nameOf);
    if (!said.has(word) || names.some((name) => message.toLowerCase().includes(name.toLowerCase()))) continue;
    const unknown = unknownName(word, names, message);
    if (unknown !== undefined) {
      const others = `People called ${titled(word, message)}: ${names.join(", ")}`;
      const nobody = `Nobody in your directory is called ${unknown}. ${others}. Please ask about one of them, or leave the name out.`;
      return { nobody };
    }
    if (people.length > 1) return answered(tags.get("Clarifications") ?? "", titled(word, message), people);
  }
  return {};
}

const nameOf = (person: string) => person.split(" <")[0] ?? person;

/** A word of the message as the user has written it. */
function titled(word: string, message: string): string {
  return message.split(/[^\p{L}]+/u).find((one) => wordsOf(one)[0] === word) ?? word;
}

/** Words after a name that are no last names. */
const SOURCES = /^(gmail|slack|drive|calendar)$/i;

/** A full name in the message that has the word and that nobody has, e.g. "Alex Moreau". */
function unknownName(word: string, names: readonly string[], message: string): string | undefined {
  const tokens = message.split(/\s+/);
  const is = (token: string | undefined) => token !== undefined && wordsOf(token)[0] === word;
  const isFirst = names.some((name) => is(name.split(" ")[0]));
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1] ?? "";
    const last = /^(\p{Lu}\p{Ll}+)(['’]s)?[.,;:?!)]*$/u.exec(next)?.[1];
    if (!/^\p{Lu}\p{L}+$/u.test(token) || last === undefined) continue;
    if (is(token) && isFirst && !SOURCES.test(last)) return `${token} ${last}`;
    if (is(last) && !isFirst && at > 0 && !ASKING.has(token.toLowerCase())) return `${token} ${last}`;
  }
  return undefined;
}

/** Reads the last answer to a question about the name. */
function answered(clarifications: string, name: string, people: readonly string[]): Meant {
  const answers = clarifications.split("\n").filter((line) => line.includes(name));
  const answer = answers.at(-1)?.split("→").at(-1)?.trim();
  if (answer === undefined) return { question: { text: `Which ${name} do you mean?`, about: name } };
  if (/^\(none|\b(none|neither|nobody|no one|else)\b/i.test(answer)) {
    const text = `I know nobody else called ${name}. Whom do you mean? Please tell me the full name, team or role.`;
    return { question: { text } };
  }
  if (/\b(all|any|both|either|everybody|everyone)\b/i.test(answer)) return {};
  const words = new Set(wordsOf(answer).filter((word) => word !== wordsOf(name)[0] && !ASKING.has(word)));
  const scored = people.map((person) => ({
    person: nameOf(person),
    score: new Set(wordsOf(person).filter((word) => words.has(word))).size,
  }));
  const [best, second] = scored.sort((a, b) => b.score - a.score);
  if (best !== undefined && best.score > (second?.score ?? 0)) return { person: best.person };
  const text = `I cannot tell which ${name} you mean. What is their full name, team or role?`;
  return { question: { text, about: name } };
}
