import { chance, idFrom, pick, type Random, sample, whole } from "@pawl/example-data-parts";
import type { Document, Group, Person } from "../base/document.ts";
import type { Workspace } from "./directory.ts";
import type { Fact } from "./facts.ts";
import {
  chatter,
  cities,
  closings,
  customerEnds,
  customerStarts,
  greetings,
  topics,
  vagueTitles,
  weekdays,
} from "./words/index.ts";

/** What the documents of one story have in common. */
export interface Story {
  random: Random;
  workspace: Workspace;
  project: Group;
  topic: string;
  customer: string;
  /** Ids of groups that see the story's shared documents; empty if only those involved see them. */
  audience: readonly number[];
  /** The people involved, the fact's speaker first. */
  cast: readonly Person[];
  /** Makes the id of the next document. */
  nextId(source: string): string;
}

/** Makes ids that nobody can guess from other ids, but that are the same for the same seed. */
export function idsOf(seed: string): (source: string) => string {
  let made = 0;
  return (source) => {
    made += 1;
    return `${source}-${idFrom(`${seed}/document/${made}`)}`;
  };
}

export const customerOf = (random: Random): string =>
  `${pick(random, customerStarts)} ${pick(random, customerEnds)}`;

/** Fills in a sentence's or title's slots. */
export function filled(story: Story, text: string): string {
  const { random, project, topic, customer, cast } = story;
  return text.replace(/\{(\w)\}/g, (slot, name: string) => {
    if (name === "p") return project.name;
    if (name === "c") return customer;
    if (name === "t") return topic;
    if (name === "n") return pick(random, cast).first;
    if (name === "d") return pick(random, weekdays);
    if (name === "y") return pick(random, cities);
    if (name === "k") return String(3 + whole(random, 9_000));
    if (name === "i") return `${project.name.slice(0, 3).toUpperCase()}-${100 + whole(random, 9_900)}`;
    if (name === "o") return orderOf(random);
    if (name === "x") return contactOf(random);
    return slot;
  });
}

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ";
const SYLLABLES = "bar den fol gim hal jor kel lan mir nor pel rus sab tov ul ver wes zan".split(" ");

/** A code that is in hardly any other document, e.g. `K4821TQ`. */
const orderOf = (random: Random): string =>
  `${pick(random, [...LETTERS])}${1_000 + whole(random, 9_000)}${pick(random, [...LETTERS])}${pick(random, [...LETTERS])}`;

/** A made-up last name, e.g. `Kelmirzan`: there are thousands. */
function contactOf(random: Random): string {
  const name = `${pick(random, SYLLABLES)}${pick(random, SYLLABLES)}${pick(random, SYLLABLES)}`;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Sentences that have nothing to do with the story's fact. */
export function smallTalk(story: Story, count: number): string[] {
  return sample(story.random, chatter, count).map((line) => filled(story, line));
}

/** The sentence that states a fact. */
export function statement({ random }: Story, { subject, project, value }: Fact): string {
  const text = pick(random, subject.says).replaceAll("{p}", project.name).replaceAll("{v}", value);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Puts a sentence somewhere between others. */
export function mixedIn(random: Random, lines: readonly string[], line: string | undefined): string[] {
  if (line === undefined) return [...lines];
  const at = whole(random, lines.length + 1);
  return [...lines.slice(0, at), line, ...lines.slice(at)];
}

export function titleOf(story: Story, plain: string): string {
  return chance(story.random, 0.45) ? filled(story, pick(story.random, vagueTitles)) : plain;
}

export function letter(story: Story, to: Person, from: Person, lines: readonly string[]): string {
  const { random } = story;
  const half = Math.ceil(lines.length / 2);
  return [
    pick(random, greetings).replace("{n}", to.first),
    lines.slice(0, half).join(" "),
    lines.slice(half).join(" "),
    `${pick(random, closings)}\n${from.first} ${from.last}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The topic of a story without a fact: an everyday one, or sometimes a subject of other projects' facts. */
export function topicOf(random: Random, free: readonly string[]): string {
  return free.length > 0 && chance(random, 0.25) ? pick(random, free) : pick(random, topics);
}

/** Ids of the groups of single people. */
export function alone(workspace: Workspace, people: readonly Person[]): number[] {
  const wanted = new Set(people.map(({ id }) => id));
  return workspace.groups
    .filter(({ kind, members }) => kind === "person" && wanted.has(members[0] as number))
    .map(({ id }) => id);
}

/** A document with the fields that most have in common. */
export function draft(
  story: Story,
  own: Pick<Document, "source" | "title" | "body" | "at"> & Partial<Document> & { owner: number },
): Document {
  const id = own.id ?? story.nextId(own.source);
  return {
    id,
    workspace: story.workspace.id,
    thread: id,
    participants: [],
    place: "",
    kind: "message",
    acl: [...story.audience, ...alone(story.workspace, story.cast)],
    links: [],
    ...own,
  };
}
