/** Where files of one type live, and what they are called. */
export interface FilePlace {
  folder: string;
  /**
   * `day`: one a day, by its date. `call`: one a call, unless the model has a title for it. `title`: the
   * model has to give one. Anything else is the name itself: there is one such file.
   */
  name: "day" | "call" | "title" | (string & {});
}

/** Everything the coach keeps about a person, by type. */
export const filePlaces = {
  domain: { folder: "domains", name: "title" },
  overview: { folder: "life-map", name: "overview" },
  "life-plan": { folder: "life-map", name: "life-plan" },
  "check-in": { folder: "check-ins", name: "day" },
  "daily-log": { folder: "daily-logs", name: "day" },
  "day-plan": { folder: "day-plans", name: "day" },
  "weekly-plan": { folder: "weekly-plans", name: "day" },
  "sage-context": { folder: "sage", name: "context" },
  "sage-patterns": { folder: "sage", name: "patterns" },
  capture: { folder: "captures", name: "call" },
  "reflection-prompt": { folder: "reflection-prompts", name: "call" },
} as const satisfies Record<string, FilePlace>;

export type FileType = keyof typeof filePlaces;

/** The types as a list, for schemas. */
export const fileTypes = Object.keys(filePlaces) as [FileType, ...FileType[]];

/** What the server itself keeps beside them; the model cannot write these. */
export const ownPlaces = {
  "pulse-check": { folder: "pulse-checks", name: "call" },
  "session-summary": { folder: "session-summaries", name: "call" },
} as const satisfies Record<string, FilePlace>;
