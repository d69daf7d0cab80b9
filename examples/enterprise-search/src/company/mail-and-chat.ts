import { pick, weighted, whole } from "@pawl/example-data-parts";
import type { Document, Person } from "../base/document.ts";
import { alone, draft, filled, letter, mixedIn, type Story, smallTalk, titleOf } from "./writer.ts";

/** The content of a thread besides its small talk. */
export interface ThreadPlan {
  at: number;
  /** A sentence of the first message, e.g. a fact. */
  says?: string | undefined;
  links?: readonly string[];
  messages: number;
}

const LABELS = ["inbox", "inbox", "inbox", "important", "updates"] as const;

/** Mails of one thread. The cast's first person writes the first one, to one to three others. */
export function mails(story: Story, { at, says, links = [], messages }: ThreadPlan): Document[] {
  const { random, workspace, cast } = story;
  const circle = cast.slice(0, 2 + whole(random, 3));
  const title = titleOf(story, `${story.project.name}: ${story.topic}`);
  const acl = [...new Set([...story.audience, ...alone(workspace, circle)])];
  const thread: Document[] = [];
  let time = at;
  for (let index = 0; index < messages; index += 1) {
    const from = circle[index % circle.length] as Person;
    const others = circle.filter((person) => person !== from);
    const lines = smallTalk(story, index === 0 ? 3 + whole(random, 5) : 1 + whole(random, 4));
    const first = thread[0];
    thread.push(
      draft(story, {
        source: "gmail",
        title: first === undefined ? title : `Re: ${title}`,
        body: letter(story, others[0] ?? from, from, mixedIn(random, lines, first ? undefined : says)),
        owner: from.id,
        participants: others.map(({ id }) => id),
        place: pick(random, LABELS),
        at: time,
        acl,
        links: first === undefined ? links : [first.id],
        ...(first && { thread: first.id }),
      }),
    );
    time += 600_000 + whole(random, 20 * 3_600_000);
  }
  return thread;
}

/** Messages of one Slack thread, in a channel of those who may see it, or between the cast alone. */
export function chat(story: Story, { at, says, links = [], messages }: ThreadPlan): Document[] {
  const { random, cast, audience } = story;
  const channel = audience.length === 0 ? "direct message" : channelOf(story);
  const thread: Document[] = [];
  let time = at;
  for (let index = 0; index < messages; index += 1) {
    const from = (index === 0 ? cast[0] : pick(random, cast)) as Person;
    const lines = smallTalk(story, weighted(random, [0, 6, 3, 1]));
    const first = thread[0];
    thread.push(
      draft(story, {
        source: "slack",
        title: channel,
        body: mixedIn(random, lines, first ? undefined : says).join(" "),
        owner: from.id,
        participants: audience.length === 0 ? cast.filter((one) => one !== from).map(({ id }) => id) : [],
        place: channel,
        at: time,
        kind: messages > 1 ? "thread" : "message",
        links: first === undefined ? links : [],
        ...(first && { thread: first.id }),
      }),
    );
    time += 60_000 + whole(random, 3 * 3_600_000);
  }
  return thread;
}

function channelOf({ workspace, audience, project }: Story): string {
  const group = workspace.groups.find(({ id }) => id === audience[0]);
  const prefix = group?.kind === "project" ? "proj-" : group?.kind === "team" ? "team-" : "";
  return `#${prefix}${(group?.name ?? project.name).toLowerCase().replaceAll(/\W+/g, "-")}`;
}

/** A sentence that refers to another document by its title. */
export const pointer = (story: Story, { title, source }: Document): string =>
  source === "drive"
    ? `The file is called "${title}".`
    : filled(story, `More on this in my ${source === "gmail" ? "mail" : "message"} "${title}".`);
