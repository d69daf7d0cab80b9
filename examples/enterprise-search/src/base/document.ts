import type { Source } from "./sources.ts";

/** A person of a workspace. */
export interface Person {
  id: number;
  workspace: string;
  first: string;
  last: string;
  email: string;
  department: string;
  team: string;
  role: string;
}

/** Who may see documents: all of a workspace, a department, a team, a project, or one person. */
export interface Group {
  id: number;
  workspace: string;
  name: string;
  kind: "everyone" | "department" | "team" | "project" | "leadership" | "person";
  /** Ids of people. */
  members: readonly number[];
}

/** One message, event or file. */
export interface Document {
  id: string;
  workspace: string;
  source: Source;
  /** The id of the conversation: the same for all messages of a thread. A file or event has its own. */
  thread: string;
  title: string;
  body: string;
  /** The id of the sender, the organizer or the file's owner. */
  owner: number;
  /** Ids of the people who got it, attend or edit, without the owner. */
  participants: readonly number[];
  /** The label of a mail, the channel of a message, the room of an event or the folder of a file. */
  place: string;
  /** `document`, `sheet`, `deck` or `pdf` for a file; `thread` or `message` for messages; `event`. */
  kind: string;
  /** Milliseconds since 1970: when it was sent, begins, or was last changed. */
  at: number;
  /** Ids of groups. Everyone in one of them may see the document. */
  acl: readonly number[];
  /** Ids of documents that it refers to. */
  links: readonly string[];
}
