import { checkOptions, type OptionKinds } from "@pawl/core";
import { randomFrom } from "@pawl/example-data-parts";
import { DOCUMENTS } from "../base/check.ts";
import type { Document } from "../base/document.ts";
import { COMPANY_NOW } from "./clock.ts";
import { drawDirectory, type Workspace } from "./directory.ts";
import { type Fact, planFacts, subjects } from "./facts.ts";
import { specialDocuments } from "./special.ts";
import { everyday, type Stage, tell } from "./story.ts";
import { idsOf } from "./writer.ts";

export interface CompanyOptions {
  /** Equal seeds give equal companies. Default: `harborline`. */
  seed?: string;
  /** How many documents, at least 1,000. Default: 50,000. */
  documents?: number;
}

const OPTIONS: OptionKinds<CompanyOptions> = { seed: "string", documents: DOCUMENTS };

/** A made-up company. */
export interface Company {
  seed: string;
  workspaces: readonly Workspace[];
  /** All documents, in the order in which they are stored. */
  documents: readonly Document[];
  /** The facts, each with the ids of the documents that state it. */
  facts: readonly Fact[];
}

export const DEFAULT_SEED = "harborline";
export const DEFAULT_DOCUMENTS = 50_000;

/** One document in ten is in the second workspace. */
const SHARES = { harborline: 0.9, lumen: 0.1 } as const;

/**
 * Draws a company of 300 people in two workspaces, with mails, messages, meetings and files that refer to
 * each other. It is the same for the same options.
 *
 * @throws PawlError `config` for unknown and invalid options.
 *
 * @example
 * ```ts
 * import { drawCompany } from "@pawl/example-enterprise-search";
 *
 * const { documents, facts } = drawCompany({ documents: 1_000 });
 * console.log(documents.length, facts.length > 50); // 1000 true
 * ```
 */
export function drawCompany(options: CompanyOptions = {}): Company {
  checkOptions("drawCompany()", options, OPTIONS);
  const { seed = DEFAULT_SEED, documents: count = DEFAULT_DOCUMENTS } = options;
  const nextId = idsOf(seed);
  const facts: Fact[] = [];
  const documents: Document[] = [];
  const workspaces = drawDirectory(seed);
  for (const workspace of workspaces) {
    const size = Math.round(count * SHARES[workspace.id]);
    const planned = planFacts(seed, workspace, Math.min(1_200, Math.floor(size / 10)));
    const stage: Stage = {
      workspace,
      nextId,
      random: randomFrom(`${seed}/${workspace.id}/stories`),
      people: new Map(workspace.people.map((person) => [person.id, person])),
      free: freeSubjects(workspace, planned),
    };
    const own = specialDocuments(workspace, nextId);
    for (const fact of planned) own.push(...tell(stage, fact));
    while (own.length < size) own.push(...everyday(stage).slice(0, size - own.length));
    facts.push(...planned);
    documents.push(...own.map(notYetWritten));
  }
  return { seed, workspaces, documents, facts };
}

/** Moves a document from the company's future to its present. Only meetings may be in the future. */
function notYetWritten(document: Document): Document {
  if (document.source === "calendar" || document.at <= COMPANY_NOW) return document;
  return { ...document, at: COMPANY_NOW };
}

function freeSubjects({ projects }: Workspace, facts: readonly Fact[]): Stage["free"] {
  const taken = new Set(facts.map(({ project, subject }) => `${project.id}/${subject.name}`));
  return new Map(
    projects.map(({ id }) => [
      id,
      subjects.filter(({ name }) => !taken.has(`${id}/${name}`)).map(({ name }) => name),
    ]),
  );
}
