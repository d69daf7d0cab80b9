export { fork } from "./fork.ts";
export { redact } from "./redact.ts";
export { startContextAt } from "./start-context.ts";
export { viewOf } from "./view-of.ts";
