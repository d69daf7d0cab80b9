import { chance, pick, type Random, sample, weighted, whole } from "@pawl/example-data-parts";
import type { Document, Group, Person } from "../base/document.ts";
import { DAY_MS, workTime } from "./clock.ts";
import type { Workspace } from "./directory.ts";
import { event, file } from "./events-and-files.ts";
import { type Fact, soonAfter } from "./facts.ts";
import { chat, mails, pointer } from "./mail-and-chat.ts";
import { customerOf, type idsOf, type Story, statement, topicOf } from "./writer.ts";

/** What the stories of one workspace share. */
export interface Stage {
  workspace: Workspace;
  random: Random;
  people: ReadonlyMap<number, Person>;
  nextId: ReturnType<typeof idsOf>;
  /** For each project, the names of subjects that none of its facts is about. */
  free: ReadonlyMap<number, readonly string[]>;
}

/** A story without a fact: mails, messages, a meeting and a file about one topic. */
export function everyday(stage: Stage): Document[] {
  const { random } = stage;
  const story = begin(stage, pick(random, stage.workspace.projects));
  const at = workTime(random, whole(random, 364));
  const made: Document[] = [];
  const add = (documents: readonly Document[]) => made.push(...documents);
  const links = () => (made[0] === undefined ? [] : [made[0].id]);
  const later = (days: number) => at + whole(random, days * DAY_MS);
  if (chance(random, 0.75)) add([file(story, { at })]);
  if (chance(random, 0.85)) {
    const says = made[0] && pointer(story, made[0]);
    add(mails(story, { at: later(2), says, links: links(), messages: 1 + weighted(random, [4, 3, 2, 1]) }));
  }
  if (chance(random, 0.5)) add([event(story, { at: later(7), links: links() })]);
  if (chance(random, 0.6)) {
    const messages = 1 + weighted(random, [3, 2, 3, 3, 2, 1]);
    add(chat(story, { at: later(5), links: links(), messages }));
  }
  return made;
}

/** A story that states a fact once or twice, and refers to the file or meeting that belongs to it. */
export function tell(stage: Stage, fact: Fact): Document[] {
  const { random } = stage;
  const story = begin(stage, fact.project, fact);
  const says = statement(story, fact);
  const about = `${fact.project.name} ${fact.subject.name}`;
  const made: Document[] = [];
  const { at } = fact;
  if (fact.beside === "file") made.push(file(story, { at: at - 3_600_000, title: `${about} calculation` }));
  if (fact.beside === "event") made.push(event(story, { at: at + 3 * DAY_MS, title: `Meeting: ${about}` }));
  const [beside] = made;
  fact.besideId = beside?.id;
  const links = beside ? [beside.id] : [];
  const hint = beside?.source === "drive" ? ` ${pointer(story, beside)}` : "";
  const ways = [
    (time: number) =>
      mails(story, { at: time, says: `${says}${hint}`, links, messages: 1 + whole(random, 3) }),
    (time: number) =>
      chat(story, { at: time, says: `${says}${hint}`, links, messages: 1 + whole(random, 4) }),
    (time: number) => [file(story, { at: time, says, links })],
  ];
  const chosen = sample(random, ways, chance(random, 0.4) ? 2 : 1);
  for (const [index, way] of chosen.entries()) {
    const documents = way(index === 0 ? at : soonAfter(random, at));
    fact.stated.push((documents[0] as Document).id);
    made.push(...documents);
  }
  return made;
}

function begin({ workspace, random, people, nextId, free }: Stage, project: Group, fact?: Fact): Story {
  const members = project.members.map((id) => people.get(id) as Person);
  const cast = sample(random, members, 2 + whole(random, 4));
  return {
    random,
    workspace,
    project,
    nextId,
    // A fact's own topic would repeat its words in every document of the story.
    topic: topicOf(random, fact === undefined ? (free.get(project.id) ?? []) : []),
    customer: customerOf(random),
    audience: audienceOf(random, workspace, project, cast[0] as Person),
    cast: fact === undefined ? cast : [fact.speaker, ...cast.filter(({ id }) => id !== fact.speaker.id)],
  };
}

function audienceOf(random: Random, workspace: Workspace, project: Group, lead: Person): number[] {
  const idOf = (kind: Group["kind"], name: string) =>
    workspace.groups.filter((group) => group.kind === kind && group.name === name).map(({ id }) => id);
  const kinds = [
    () => [project.id],
    () => idOf("team", lead.team),
    () => idOf("department", lead.department),
    () => idOf("everyone", "everyone"),
    () => [],
  ];
  return (kinds[weighted(random, [55, 12, 8, 10, 15])] as () => number[])();
}
