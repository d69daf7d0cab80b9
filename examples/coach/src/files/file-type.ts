/** The folder and the naming rule of files of one type. */
export interface FilePlace {
  folder: string;
  /**
   * How files are named. `day`: by their date, with one file per day. `call`: by the model's title, or else
   * by the tool call. `title`: by a title that the model must give. Any other text is the name of the only
   * file of its type.
   */
  name: "day" | "call" | "title" | (string & {});
}

/** The files that the model can write, by type. */
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

/** The keys of {@link filePlaces}, for schemas. */
export const fileTypes = Object.keys(filePlaces) as [FileType, ...FileType[]];

/** The files that only the server writes, by type. */
export const ownPlaces = {
  "pulse-check": { folder: "pulse-checks", name: "call" },
  "session-summary": { folder: "session-summaries", name: "call" },
} as const satisfies Record<string, FilePlace>;
