export { askModelInRun } from "./ask-in-run.ts";
export { outputVerdict } from "./output-verdict.ts";
