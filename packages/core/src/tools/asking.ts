export { askAndRemind } from "./ask.ts";
export { ASK_OPTIONS, checkAsk } from "./ask-options.ts";
export { askOutcome } from "./ask-outcome.ts";
