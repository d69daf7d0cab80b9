import { pick, type Random, randomFrom, sample, whole } from "@pawl/example-data-parts";
import { months } from "./clock.ts";
import type { Company } from "./company.ts";
import { type Fact, nameOf } from "./facts.ts";

/** The kinds of questions. A set has the same number of each. */
export const questionKinds = ["keywords", "who and when", "other words", "typo", "linked"] as const;
export type QuestionKind = (typeof questionKinds)[number];

/** A question with a known answer. */
export interface Question {
  kind: QuestionKind;
  text: string;
  /** The asking user: the one who stated the fact, and so may see every document that states it. */
  asker: { workspaceId: string; email: string };
  /** The ids of the documents that have the answer. */
  answers: readonly string[];
}

/**
 * Draws questions about a company's facts, each about another fact. `seed` chooses the facts, the wording and
 * the typos.
 */
export function drawQuestions(
  company: Company,
  { seed, count }: { seed: string; count: number },
): Question[] {
  const random = randomFrom(`${company.seed}/questions/${seed}`);
  const used = new Set<Fact>();
  return questionKinds.flatMap((kind, index) => {
    const wanted = Math.floor((count + index) / questionKinds.length);
    const fits = company.facts.filter((fact) => !used.has(fact) && isAbout[kind](fact));
    return sample(random, fits, wanted).map((fact): Question => {
      used.add(fact);
      const { workspace, speaker, besideId, stated } = fact;
      return {
        kind,
        text: wording[kind](fact, random),
        asker: { workspaceId: workspace, email: speaker.email },
        answers: kind === "linked" ? [besideId as string] : stated,
      };
    });
  });
}

/** Only "who and when" is about facts with rivals: the other questions would have several answers. */
const isAbout: Readonly<Record<QuestionKind, (fact: Fact) => boolean>> = {
  keywords: ({ rivals }) => rivals === 1,
  "who and when": ({ rivals }) => rivals > 1,
  "other words": ({ rivals }) => rivals === 1,
  typo: ({ rivals }) => rivals === 1,
  linked: ({ rivals, besideId }) => rivals === 1 && besideId !== undefined,
};

type Wording = (fact: Fact, random: Random) => string;

const keywords: Wording = ({ project, subject }, random) =>
  pick(random, [
    `${subject.name} ${project.name}`,
    `What is the ${subject.name} of ${project.name}?`,
    `${project.name} ${subject.name}`,
    `Do we know anything about the ${subject.name} for ${project.name}?`,
  ]);

const wording: Readonly<Record<QuestionKind, Wording>> = {
  keywords,
  "who and when": ({ project, subject, speaker, at }, random) => {
    const about = pick(random, [
      `the ${subject.name} of ${project.name}`,
      `the ${project.name} ${subject.name}`,
    ]);
    const name = nameOf(speaker);
    return pick(random, [
      `What did ${name} say about ${about} in ${monthOf(at)}?`,
      `What did ${name} write on ${about} in ${quarterOf(at)}?`,
      `${name} ${monthOf(at)} ${project.name} ${subject.name}`,
      `What does ${name} think about ${about}?`,
    ]);
  },
  "other words": ({ project, subject }, random) =>
    asQuestion(pick(random, subject.asks).replaceAll("{p}", project.name)),
  typo: (fact, random) => misspelled(keywords(fact, random), random),
  linked: ({ project, subject, speaker, stated, beside }, random) => {
    const about = `the ${project.name} ${subject.name}`;
    if (beside === "event")
      return pick(random, [`When is the meeting about ${about}?`, `meeting ${project.name} ${subject.name}`]);
    const where = stated[0]?.startsWith("gmail") ? "mail" : "message";
    return pick(random, [
      `Which file belongs to ${nameOf(speaker)}'s ${where} about ${about}?`,
      `file with the calculation of ${about}`,
    ]);
  },
};

const monthOf = (at: number) => months[new Date(at).getUTCMonth()] as string;
const quarterOf = (at: number) => {
  const date = new Date(at);
  return `Q${Math.floor(date.getUTCMonth() / 3) + 1} ${date.getUTCFullYear()}`;
};

const asQuestion = (text: string) =>
  /^(how|who|what|when|until|from|users)\b/.test(text)
    ? `${text.charAt(0).toUpperCase()}${text.slice(1)}?`
    : text;

/** Drops a letter of a long word, or swaps two. */
function misspelled(text: string, random: Random): string {
  const words = text.split(" ");
  const long = words.flatMap((word, at) => (/^[a-z]{6,}$/i.test(word) ? [at] : []));
  const at = long[whole(random, long.length)];
  if (at === undefined) return text;
  const word = words[at] as string;
  const letter = 1 + whole(random, word.length - 2);
  words[at] =
    random() < 0.5
      ? word.slice(0, letter) + word.slice(letter + 1)
      : `${word.slice(0, letter)}${word[letter + 1]}${word[letter]}${word.slice(letter + 2)}`;
  return words.join(" ");
}
