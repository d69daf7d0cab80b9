export { type CoachOptions, coach } from "./coach.ts";
export type { CoachDeps } from "./deps.ts";
export { type FileType, fileTypes } from "./files/file-type.ts";
export { type CoachRulesOptions, coachRules } from "./simulator/rules.ts";
export { MAX_CONTENT } from "./tools/save-file.ts";
export type { Option } from "./tools/show-options.ts";
