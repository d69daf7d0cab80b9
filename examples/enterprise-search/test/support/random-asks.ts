import { chance, pick, type Random, whole } from "@pawl/example-data-parts";
import {
  COMPANY_NOW,
  type CompanySearch,
  type Document,
  drawQuestions,
  type PeopleQuery,
  type SearchQuery,
  sources,
} from "../../src/index.ts";
import { oracle } from "./company-database.ts";
import { type HiddenFrom, misspelled } from "./hidden-company.ts";

/** Something that a caller asks, in words, and the call that asks it. */
export interface Ask {
  asked: string;
  of(search: CompanySearch): Promise<unknown>;
}

const DAY_MS = 86_400_000;

/**
 * What a caller may ask: exact and misspelled words, phrases and questions, with filters; people; documents by
 * their ids. Half of it is about documents that the caller may not see.
 */
export function randomAsks(
  { caller, whole: company, visible, typos }: HiddenFrom,
  random: Random,
  count: number,
) {
  const questions = drawQuestions(company, { seed: "hidden", count: 25 });
  const { people } = oracle(company);
  const document = () => pick(random, chance(random, 0.5) ? visible.documents : company.documents);
  const someone = () => pick(random, people);
  const text = (): string => {
    const kind = whole(random, 6);
    if (kind === 0) return pick(random, typos);
    if (kind === 1) return pick(random, questions).text;
    if (kind === 2) return `"${wordsIn(random, document(), 2).join(" ")}"`;
    const words = wordsIn(random, document(), 1 + whole(random, 3));
    if (kind === 3) return words.join(" ");
    if (kind === 4) return [pick(random, typos), ...words].join(" ");
    return words.map((word) => misspelled(random, word, 1 + whole(random, 2))).join(" ");
  };
  const filters = (): Omit<SearchQuery, "text"> => {
    const { source, place, kind, at } = document();
    return {
      ...(chance(random, 0.3) && { sources: [source, pick(random, sources)] }),
      ...(chance(random, 0.2) && { owner: pick(random, [someone().email, someone().first]) }),
      ...(chance(random, 0.2) && { involves: someone().email }),
      ...(chance(random, 0.2) && { place }),
      ...(chance(random, 0.2) && { kind }),
      ...(chance(random, 0.2) && {
        time: { from: at - 30 * DAY_MS, to: Math.min(at + DAY_MS, COMPANY_NOW) },
      }),
      ...(chance(random, 0.2) && { excludedIds: [document().id, document().id] }),
    };
  };
  const person = (): PeopleQuery => {
    const { first, last, email, team, department } = someone();
    const named = pick(random, [first, `${first} ${last}`, email, misspelled(random, last), team]);
    return chance(random, 0.2) ? { department, limit: 20 } : { text: named };
  };
  return Array.from({ length: count }, (): Ask => {
    const kind = random();
    if (kind < 0.15) {
      const id = chance(random, 0.9) ? document().id : "absent-1";
      return { asked: `open ${id}`, of: (search) => search.open(caller, { id }) };
    }
    if (kind < 0.25) {
      const query = person();
      return { asked: `people ${JSON.stringify(query)}`, of: (search) => search.people(caller, query) };
    }
    const narrowed = chance(random, 0.5) ? filters() : {};
    const query = { text: text(), limit: 1 + whole(random, 20), ...narrowed };
    return { asked: `search ${JSON.stringify(query)}`, of: (search) => search.search(caller, query) };
  });
}

/** Words that follow each other in a document. */
function wordsIn(random: Random, { title, body }: Document, count: number): string[] {
  const words = `${title} ${body}`.match(/\p{L}{3,}/gu) ?? ["nothing"];
  const at = whole(random, Math.max(1, words.length - count));
  return words.slice(at, at + count);
}
