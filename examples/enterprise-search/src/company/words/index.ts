export * from "./names.ts";
export * from "./places.ts";
export * from "./sentences.ts";
export type { Subject } from "./subject.ts";
export { moneySubjects } from "./subjects-money.ts";
export { techSubjects } from "./subjects-tech.ts";
export { workSubjects } from "./subjects-work.ts";
