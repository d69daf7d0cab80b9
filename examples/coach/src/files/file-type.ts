/** Where files of one type live, and what they are called when the model gives no name. */
export interface FilePlace {
  folder: string;
  /** `date`: one a day. `call`: one a call. `required`: the model has to name it. Anything else is the name itself. */
  name: "date" | "call" | "required" | (string & {});
}

/** Everything the coach keeps about a person, by type. */
export const filePlaces = {
  domain: { folder: "domains", name: "required" },
  overview: { folder: "life-map", name: "overview" },
  "life-plan": { folder: "life-map", name: "life-plan" },
  "check-in": { folder: "check-ins", name: "date" },
  "daily-log": { folder: "daily-logs", name: "date" },
  "day-plan": { folder: "day-plans", name: "date" },
  "weekly-plan": { folder: "weekly-plans", name: "date" },
  "sage-context": { folder: "sage", name: "context" },
  "sage-patterns": { folder: "sage", name: "patterns" },
  capture: { folder: "captures", name: "call" },
  "reflection-prompt": { folder: "reflection-prompts", name: "date" },
} as const satisfies Record<string, FilePlace>;

export type FileType = keyof typeof filePlaces;

/** The types as a list, for schemas. */
export const fileTypes = Object.keys(filePlaces) as [FileType, ...FileType[]];
