import { chance, pick, type Random, randomFrom, sample, whole } from "@pawl/example-data-parts";
import type { Group, Person } from "../base/document.ts";
import { DAY_MS, months, workTime } from "./clock.ts";
import type { Workspace } from "./directory.ts";
import { moneySubjects, type Subject, techSubjects, workSubjects } from "./words/index.ts";

/** The subjects of all facts. */
export const subjects: readonly Subject[] = [...moneySubjects, ...workSubjects, ...techSubjects];

/** Something that one person said about one subject of one project. Documents state it. */
export interface Fact {
  workspace: string;
  project: Group;
  subject: Subject;
  speaker: Person;
  value: string;
  /** When it was said, in milliseconds since 1970. */
  at: number;
  /**
   * How many facts have this project and subject. If more than one, only the speaker and time tell them
   * apart.
   */
  rivals: number;
  /** The kind of the linked document, which does not state the fact: a file or a meeting. */
  beside: "file" | "event" | undefined;
  /** The ids of the documents that state the fact, in the order in which they were made. */
  stated: string[];
  /** The id of the linked file or meeting. */
  besideId: string | undefined;
}

/** The share of facts that others contradict. */
const RIVALS = 0.4;

/** Plans about `count` facts of a workspace. No two sets of rivals have the same project and subject. */
export function planFacts(seed: string, workspace: Workspace, count: number): Fact[] {
  const random = randomFrom(`${seed}/${workspace.id}/facts`);
  const pairs = workspace.projects.flatMap((project) => subjects.map((subject) => ({ project, subject })));
  const drawn = sample(random, pairs, Math.floor(pairs.length * 0.6));
  const people = new Map(workspace.people.map((person) => [person.id, person]));
  const facts: Fact[] = [];
  for (const { project, subject } of drawn) {
    if (facts.length >= count) break;
    const rivals = chance(random, RIVALS / (3 - 2 * RIVALS)) ? 3 : 1;
    const speakers = sample(random, project.members, rivals);
    const start = whole(random, 120);
    for (const [at, speaker] of speakers.entries())
      facts.push({
        workspace: workspace.id,
        project,
        subject,
        speaker: people.get(speaker) as Person,
        value: drawnValue(random, subject.value, workspace),
        at: workTime(random, start + at * 80 + whole(random, 60)),
        rivals: speakers.length,
        beside: (["file", "event", undefined] as const)[whole(random, 3)],
        stated: [],
        besideId: undefined,
      });
  }
  return facts;
}

function drawnValue(random: Random, kind: Subject["value"], { people }: Workspace): string {
  if (kind === "percent") return `${1 + whole(random, 60)}%`;
  if (kind === "dollars") return `$${(1 + whole(random, 900)) * 500}`;
  if (kind === "count") return String(2 + whole(random, 400));
  if (kind === "person") return nameOf(pick(random, people));
  return `${1 + whole(random, 28)} ${pick(random, months)}`;
}

export const nameOf = ({ first, last }: Person): string => `${first} ${last}`;

/** The time of a restatement: up to two days later. */
export const soonAfter = (random: Random, at: number): number =>
  at + 3_600_000 + whole(random, 2 * DAY_MS - 3_600_000);
