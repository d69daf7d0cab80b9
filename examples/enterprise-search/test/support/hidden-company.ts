import { pick, type Random, sample, whole } from "@pawl/example-data-parts";
import type { Caller, Company, Document, Person } from "../../src/index.ts";
import { callerOf, oracle } from "./company-database.ts";

/** One caller of two databases: one with the whole company, and one with what the caller may see. */
export interface HiddenFrom {
  caller: Caller;
  /** All documents, among them planted ones that only another person may see. */
  whole: Company;
  /** The documents that the caller may see, in another order. */
  visible: Company;
  /** Misspelled words of visible documents. The planted documents have many words that are closer to them. */
  typos: readonly string[];
}

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

/**
 * Plants documents that the person may not see. They compete for everything that a search finds: they have
 * words near to misspelled ones, answer in visible threads, are linked, and are the newest of their owners.
 */
export function hiddenFrom(company: Company, person: Person, random: Random): HiddenFrom {
  const { sees, people } = oracle(company);
  const seen = company.documents.filter((document) => sees(person, document));
  const targets = sample(random, rareWords(seen), 6);
  const typos = targets.map((word, at) => misspelled(random, word, 1 + (at % 2)));
  const ids = typos.map((_, at) => `planted-${at}`);
  // A visible document has the same links whether their documents exist or not.
  const linked = seen.map((document, at) =>
    at % 5 === 0 ? { ...document, links: [...document.links, pick(random, ids)] } : document,
  );
  const byId = new Map(linked.map((document) => [document.id, document]));
  const stranger = people.find(({ id, workspace }) => id !== person.id && workspace === person.workspace);
  const planted = ids.map((id, at): Document => {
    const like = pick(random, linked);
    const near = LETTERS.flatMap((letter) => [`${letter}${typos[at]}`, `${typos[at]}${letter}`]);
    return {
      ...{ ...like, id, title: `Re: ${like.title}`, body: `${near.join(" ")} ${targets[at]} ${like.body}` },
      ...{ owner: pick(random, people).id, participants: [person.id], at: like.at + 86_400_000 },
      ...{ acl: [ownGroup(company, stranger)], links: [like.id] },
    };
  });
  const stored = company.documents.map((document) => byId.get(document.id) ?? document);
  return {
    caller: callerOf(person),
    whole: { ...company, documents: [...planted, ...stored] },
    visible: { ...company, documents: sample(random, linked, linked.length) },
    typos,
  };
}

/** The words of six to ten letters that only one of the documents has. */
function rareWords(documents: readonly Document[]): string[] {
  const counts = new Map<string, number>();
  for (const { body } of documents)
    for (const word of new Set(body.toLowerCase().match(/\b[a-z]{6,10}\b/g) ?? []))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].flatMap(([word, count]) => (count === 1 ? [word] : []));
}

/** The group of which the person is the only member. */
function ownGroup({ workspaces }: Company, person: Person | undefined): number {
  const groups = workspaces.flatMap((workspace) => workspace.groups);
  const own = groups.find(({ kind, members }) => kind === "person" && members[0] === person?.id);
  if (own === undefined) throw new Error("The person has no group.");
  return own.id;
}

/** Changes a word: drops, swaps, replaces or adds letters. */
export function misspelled(random: Random, word: string, changes = 1): string {
  const at = whole(random, word.length - 1);
  const [before, letter, next, rest] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  const other = pick(random, LETTERS);
  const changed = pick(random, [
    `${before}${next}${rest}`,
    `${before}${next}${letter}${rest}`,
    `${before}${other}${next}${rest}`,
    `${before}${letter}${other}${next}${rest}`,
  ]);
  return changes > 1 ? misspelled(random, changed, changes - 1) : changed;
}
