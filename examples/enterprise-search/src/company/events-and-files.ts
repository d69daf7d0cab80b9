import { pick, sample, whole } from "@pawl/example-data-parts";
import type { Document, Person } from "../base/document.ts";
import { fileKinds, rooms } from "./words/index.ts";
import { draft, filled, mixedIn, type Story, smallTalk } from "./writer.ts";

interface Plan {
  at: number;
  /** Default: made of the project and the topic. */
  title?: string | undefined;
  says?: string | undefined;
  links?: readonly string[];
}

const MEETINGS = ["Review", "Sync", "Kick-off", "Weekly", "Workshop", "Decision"] as const;

/** A meeting of the cast. */
export function event(story: Story, { at, title, says, links = [] }: Plan): Document {
  const { random, cast, project, topic } = story;
  const [owner, ...others] = cast as [Person, ...Person[]];
  const agenda = mixedIn(random, smallTalk(story, 1 + whole(random, 3)), says);
  const hour = 3_600_000;
  return draft(story, {
    source: "calendar",
    title: title ?? `${pick(random, MEETINGS)}: ${project.name} ${topic}`,
    body: [
      `Agenda: ${topic}.`,
      ...agenda,
      `Attendees: ${cast.map(({ first, last }) => `${first} ${last}`).join(", ")}.`,
    ].join("\n"),
    owner: owner.id,
    participants: others.map(({ id }) => id),
    place: pick(random, rooms),
    kind: "event",
    at: Math.floor(at / hour) * hour,
    links,
  });
}

const FILES = ["notes", "overview", "draft", "summary", "plan", "protocol"] as const;
const SECTIONS = ["Background", "What we know", "Open points", "Next steps"] as const;

/** A file of the cast's first person. Others of the cast edit it. */
export function file(story: Story, { at, title, says, links = [] }: Plan): Document {
  const { random, cast, project, topic } = story;
  const [owner, ...others] = cast as [Person, ...Person[]];
  const headings = sample(random, SECTIONS, 2 + whole(random, 3));
  const special = whole(random, headings.length);
  const sections = headings.map((heading, index) => {
    const lines = smallTalk(story, 5 + whole(random, 5));
    return `## ${heading}\n${mixedIn(random, lines, index === special ? says : undefined).join(" ")}`;
  });
  return draft(story, {
    source: "drive",
    title: title ?? filled(story, `${project.name} ${topic} ${pick(random, FILES)}`),
    body: sections.join("\n\n"),
    owner: owner.id,
    participants: sample(random, others, 2).map(({ id }) => id),
    place: `/${project.name}/${topic}`,
    kind: pick(random, fileKinds),
    at,
    links,
  });
}
