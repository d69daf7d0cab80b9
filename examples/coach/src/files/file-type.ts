/** The folder and the naming rule of files of one type. */
export interface FilePlace {
  folder: string;
  /**
   * `day`: one file per day, named by its date. `call`: one file per call, unless the model sets a title.
   * `title`: the model must set a title. Anything else is the name of the only file of its type.
   */
  name: "day" | "call" | "title" | (string & {});
}

/** Everything that the coach keeps about a person, by type. */
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

/** Files that only the server writes; the model cannot. */
export const ownPlaces = {
  "pulse-check": { folder: "pulse-checks", name: "call" },
  "session-summary": { folder: "session-summaries", name: "call" },
} as const satisfies Record<string, FilePlace>;
