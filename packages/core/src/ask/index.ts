export { askOutcome } from "../tools/ask-outcome.ts";
export { askAndRemind } from "./ask.ts";
export { ASK_OPTIONS, checkAsk } from "./ask-options.ts";
